import type { Policy } from '@factmill/contracts';
import { acceptConversations, type AcceptRequest, createPool, findConversation } from '@factmill/database';
import { scheduleOf } from '@factmill/extraction';
import { acceptRequest, NO_QUEUE_LIMITS, waitFor } from '@factmill/testkit';
import { afterEach, describe, expect, test } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import {
  enqueueExtraction,
  type ExtractorUnderTest,
  openExtractorUnderTest,
  TENANT,
} from '../extractor.fixture.ts';

const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close();
});

async function open(...options: Parameters<typeof openExtractorUnderTest>): Promise<ExtractorUnderTest> {
  const under = await openExtractorUnderTest(...options);
  closers.push(under.close);
  return under;
}

type Said = Readonly<{ id?: string; role?: 'user' | 'assistant'; content: string }>;
type Options = Partial<Pick<AcceptRequest, 'extract' | 'regenerated'>>;

/** Accepts messages as a gateway does, with the deployment's schedule; resolves to the extraction that covers them. */
async function say(
  under: ExtractorUnderTest,
  conversationId: string,
  said: readonly Said[],
  options: Options = {},
  database = under.database,
): Promise<string | null> {
  const request: AcceptRequest = {
    ...acceptRequest(TENANT),
    conversationId,
    messages: said.map(({ id = randomUUID(), role = 'user', content }) => ({
      id,
      role,
      content,
      tokenEstimate: 1,
    })),
    extract: 'auto',
    trigger: 'messages',
    preset: null,
    ...options,
  };
  const schedule = scheduleOf({ ...under.config.scheduling, timeZone: under.config.timeZone });
  const { results } = await acceptConversations(database, [request], NO_QUEUE_LIMITS, schedule);
  const [result] = results;
  if (result?.status !== 'accepted' || result.extraction === null) return null;
  const { id, enqueue, part_ids: partIds = [id] } = result.extraction;
  if (enqueue) await Promise.all(partIds.map((part) => enqueueExtraction(under.queues, part)));
  return id;
}

async function begin(under: ExtractorUnderTest, policy: Policy): Promise<string> {
  const id = randomUUID();
  await under.database.query(
    `insert into conversations (tenant_id, id, user_id, policy) values ($1::uuid, $2::text, 'maya', $3::jsonb)`,
    [TENANT, id, JSON.stringify(policy)],
  );
  return id;
}

/** The newest extraction of a conversation, once it is done. */
async function newestDone(under: ExtractorUnderTest, conversationId: string, count: number): Promise<string> {
  return waitFor(
    async () => {
      const { rows } = await under.database.query<{ id: string; state: string }>(
        `select id, state from extractions where conversation_id = $1::text and state <> 'skipped'
         order by accepted_no`,
        [conversationId],
      );
      return rows.length === count && rows.every((row) => row.state === 'done') ? rows.at(-1)?.id : undefined;
    },
    { describe: `${count} extractions to be done`, timeoutMs: 20_000 },
  );
}

test('a conversation that becomes due is extracted within about a second, by any extractor, once', async () => {
  const under = await open();
  await Promise.all([under.start(), under.start()]);
  const id = await begin(under, { min_turns: 1, quiet_gap_s: 60 });
  expect(await say(under, id, [{ content: 'I live in Lisbon.' }])).toBeNull();
  const { due } = await under.database.one<{ due: Date }>(
    'update conversations set extraction_due_at = now() where id = $1::text returning now() as due',
    [id],
  );
  const extraction = await under.ledger(await newestDone(under, id, 1));
  expect(extraction).toMatchObject({ trigger: 'quiet_gap', fromSeq: 1, toSeq: 1, added: 1 });
  expect(extraction.acceptedAt.getTime() - due.getTime()).toBeLessThan(2_000);
  expect(await findConversation(under.database, TENANT, id)).toMatchObject({
    extractedSeq: 1,
    extractionDueAt: null,
  });
});

test('eight gateways post to one conversation: one extraction of it at a time, nothing twice, nothing left', async () => {
  const under = await open({ env: { SWEEP_GRACE_MS: '60000' } });
  const delayMs = 25;
  under.model.setReply(({ endpoint }) => (endpoint === 'chat' ? { delayMs } : undefined));
  await Promise.all([under.start(), under.start()]);
  const id = await begin(under, { min_turns: 2, max_turns: 3, quiet_gap_s: 0, idle_timeout_s: 1 });
  const perGateway = 6;
  await Promise.all(
    Array.from({ length: 8 }, async (_, gateway) => {
      const database = createPool({
        connectionString: under.config.storage.databaseUrl ?? '',
        max: 1,
        applicationName: `gateway-${gateway}`,
        rowSecurity: 'always',
        logger: under.logger,
      }).as('system');
      closers.push(() => database.close());
      for (let n = 0; n < perGateway; n += 1) {
        const number = gateway * perGateway + n;
        await say(
          under,
          id,
          [{ content: `My code word number ${number} is zebra${number}.` }],
          { extract: number % 5 === 0 ? 'now' : 'auto' },
          database,
        );
      }
    }),
  );
  const total = 8 * perGateway;
  await waitFor(async () => (await under.memories('maya')).length === total, {
    describe: 'every statement to be a memory',
    timeoutMs: 40_000,
  });
  await waitFor(async () => (await findConversation(under.database, TENANT, id))?.extractedSeq === total, {
    describe: 'the last to be done',
  });
  const { rows } = await under.database.query<{
    from: number;
    to: number;
    startedAt: Date;
    finishedAt: Date;
  }>(
    `select from_seq as "from", to_seq as "to", claimed_at as "startedAt", finished_at as "finishedAt"
     from extractions where conversation_id = $1::text order by accepted_no`,
    [id],
  );
  let next = 1;
  let free = 0;
  for (const row of rows) {
    expect(row.from).toBe(next);
    expect(row.to - row.from + 1).toBeLessThanOrEqual(3);
    expect(row.startedAt.getTime()).toBeGreaterThanOrEqual(free);
    next = row.to + 1;
    free = row.finishedAt.getTime();
  }
  expect(next - 1).toBe(total);
  const calls = under.model.calls.filter((call) => call.endpoint === 'chat').map((call) => call.receivedAtMs);
  expect(calls).toHaveLength(rows.length);
  for (const [index, at] of calls.entries()) {
    if (index > 0) expect(at - (calls[index - 1] ?? 0)).toBeGreaterThanOrEqual(delayMs - 1);
  }
});

describe('a regenerated reply (B6)', () => {
  const asked = {
    id: 'q',
    content: 'Please remind me where my locker at the gymnasium is. I am allergic to walnuts.',
  };
  const elm = {
    id: 'r1',
    role: 'assistant' as const,
    content: 'Your gymnasium locker stands beside the sauna entrance.',
  };
  const oak = {
    id: 'r2',
    role: 'assistant' as const,
    content: 'Locker forty waits upstairs near the climbing wall.',
  };

  async function openPair(): Promise<{ under: ExtractorUnderTest; id: string }> {
    const under = await open({ env: { EMBEDDING_PROVIDER: 'none' } });
    under.model.setReply(({ endpoint, userText }) =>
      endpoint === 'chat'
        ? {
            // Replies are believed where it is about work that user and assistant do together.
            content: JSON.stringify([
              { category: 'identity', key: 'allergy', value: 'walnuts' },
              userText.includes('climbing')
                ? { category: 'solution', key: 'locker_place', value: 'upstairs near the climbing wall' }
                : { category: 'solution', key: 'sauna_locker', value: 'stands beside the sauna entrance' },
            ]),
          }
        : undefined,
    );
    await under.start();
    const id = await begin(under, { preset: 'tiered', scope: 'ephemeral', quiet_gap_s: 0 });
    await say(under, id, [asked, elm]);
    await newestDone(under, id, 1);
    expect((await under.memories('maya')).map((memory) => memory.key)).toEqual(['allergy', 'sauna_locker']);
    return { under, id };
  }

  test('is extracted with what it replies to, and ends what came from the other reply alone', async () => {
    const { under, id } = await openPair();
    await say(under, id, [oak], { regenerated: true });
    const extractionId = await newestDone(under, id, 2);
    expect(await under.ledger(extractionId)).toMatchObject({
      trigger: 'regenerated',
      fromSeq: 3,
      toSeq: 3,
      added: 1,
      deleted: 1,
    });
    expect(under.model.calls.at(-1)?.userText).toContain('walnuts');
    expect(under.model.calls.at(-1)?.userText).not.toContain('sauna');
    const memories = await under.memories('maya');
    expect(memories.map((memory) => [memory.key, memory.messageIds])).toEqual([
      ['allergy', ['q']],
      ['locker_place', ['r2']],
    ]);
    const { rows } = await under.database.query(
      `select v.operation, v.actor, v.extraction_id as "extractionId", m.valid_to is not null as ended
       from memory_versions v join memories m on m.id = v.memory_id where m.key = 'sauna_locker' order by v.number`,
    );
    expect(rows).toMatchObject([
      { operation: 'ADD' },
      { operation: 'SUPERSEDE', actor: 'extraction', extractionId, ended: true },
    ]);
  });

  test('is not told what came from the other reply, also where there is much to tell', async () => {
    const { under, id } = await openPair();
    const others = Array.from({ length: 10 }, (_, n) => ({
      category: 'identity',
      key: `cousin_${n}`,
      value: 'a nurse',
    }));
    under.model.setReply(() => ({ content: JSON.stringify(others) }));
    await say(under, await begin(under, { preset: 'tiered', quiet_gap_s: 0 }), [
      { content: 'My cousins are nurses: cousin 0 to cousin 9 are a nurse each.' },
    ]);
    await waitFor(async () => (await under.memories('maya')).length >= 10, { describe: 'more memories' });
    await under.database.query(`update memories set stated_at = now() where key = 'sauna_locker'`);
    await say(under, id, [oak], { regenerated: true });
    await newestDone(under, id, 2);
    expect(under.model.calls.at(-1)?.userText).toContain('cousin');
    expect(under.model.calls.at(-1)?.userText).not.toContain('sauna');
  });

  test('posted again brings nothing', async () => {
    const { under, id } = await openPair();
    await say(under, id, [oak], { regenerated: true });
    await newestDone(under, id, 2);
    expect(await say(under, id, [oak], { regenerated: true })).toBe(await newestDone(under, id, 2));
  });

  test('before the first was extracted leaves nothing to end', async () => {
    const under = await open({ env: { EMBEDDING_PROVIDER: 'none' } });
    const id = await begin(under, { preset: 'tiered', quiet_gap_s: 3_600, daily_flush: false });
    await say(under, id, [asked, elm]);
    await say(under, id, [oak], { regenerated: true });
    const { rows } = await under.database.query(
      'select extraction_due_for as "dueFor", replaced_from_seq as replaced from conversations where id = $1::text',
      [id],
    );
    expect(rows).toEqual([{ dueFor: 'quiet_gap', replaced: null }]);
  });
});
