import {
  acceptConversations,
  findErasure,
  insertMemories,
  type OpenErasure,
  replaceSummary,
  requestErasure,
} from '@factmill/database';
import { acceptRequest, newMemory, NO_QUEUE_LIMITS, waitFor } from '@factmill/testkit';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { v7 as uuidv7 } from 'uuid';
import { type ExtractorUnderTest, openExtractorUnderTest, TENANT } from '../extractor.fixture.ts';
import { storeDocument } from '../store-document.fixture.ts';
import { createEraseJob } from './erase-job.ts';

const USER = 'maya-quokka';
const WORD = 'quokka';
const never = new AbortController().signal;

let under: ExtractorUnderTest;
beforeEach(async () => {
  under = await openExtractorUnderTest({ env: { SEARCH_TURNS: 'true' } });
});
afterEach(() => under.close());

async function request(): Promise<OpenErasure> {
  const made = { id: uuidv7(), tenantId: TENANT, userId: USER, requestedBy: 'test' };
  const erasure = await requestErasure(under.database, made);
  return { ...made, id: erasure?.id ?? 'none' };
}

const erase = ({ id, tenantId }: OpenErasure) => createEraseJob(under)({ tenantId, erasureId: id }, never);

/** The tables in which a row has the word anywhere, also as the user's name. */
async function tablesWith(word: string): Promise<string[]> {
  const { rows } = await under.database.query<{ name: string }>(
    `select relname::text as name from pg_class
     where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition order by 1`,
  );
  const found: string[] = [];
  for (const { name } of rows) {
    const { hits } = await under.database.one<{ hits: number }>(
      `select count(*)::integer as hits from "${name}" t where t::text ilike '%' || $1::text || '%'`,
      [word],
    );
    if (hits > 0) found.push(name);
  }
  return found;
}

const VECTORS = ['turn_part_embeddings', 'document_chunk_embeddings', 'memory_embeddings'];

/** Waits for what comes last, the vectors; resolves to the tables with the word. */
function hasVectors(word: string): Promise<string[]> {
  return waitFor(
    async () => {
      const tables = await tablesWith(word);
      return VECTORS.every((name) => tables.includes(name)) ? tables : undefined;
    },
    { timeoutMs: 15_000, describe: 'all vectors' },
  );
}

/** Something of a user in every table that can have it. */
async function fill(userId: string, word: string): Promise<void> {
  const id = await under.extract([{ content: `I live in ${word}.` }, { role: 'assistant', content: word }], {
    userId,
    conversationId: `${userId}-1`,
  });
  await under.ledger(id);
  await storeDocument(under.database, { userId, chunks: [`A text about ${word}.`, ' Its end.'] });
  const owner = { tenantId: TENANT, userId, conversationId: null };
  await replaceSummary(under.database, owner, { content: `Likes ${word}.`, actor: 'test' });
  const more = {
    ...acceptRequest(TENANT),
    userId,
    conversationId: `${userId}-2`,
    messages: [{ id: 'm1', role: 'user' as const, content: word, tokenEstimate: 1 }],
    extract: 'never' as const,
    idempotencyKey: `key-${userId}`,
  };
  await acceptConversations(under.database, [more], NO_QUEUE_LIMITS);
  const runs = `insert into compression_runs (id, tenant_id, user_id, kind, period, until_at, plan)
    values ($1::uuid, $2::uuid, $3::text, 'daily', '2026-01-01', now(), to_jsonb($4::text))`;
  const run = uuidv7();
  await under.database.query(runs, [run, TENANT, userId, word]);
  await under.database.query(
    `insert into compression_periods (kind, period, due_at, until_at, after_tenant, after_user)
     values ('daily', date '2001-01-01' + (select count(*)::integer from compression_periods), now(), now(), $1::uuid,
       $2::text)`,
    [TENANT, userId],
  );
  await under.database.query(
    `insert into compression_answers (run_id, step, number, status, model, prompt_version, raw, tenant_id)
     values ($1::uuid, 'merge', 1, 'pinned', 'm', 'v', $2::text, $3::uuid)`,
    [run, word, TENANT],
  );
}

describe('erasing a user', () => {
  test('leaves nothing of theirs in any table, and all of the others', async () => {
    await under.start();
    await fill(USER, WORD);
    await fill('ben-numbat', 'numbat');
    const [before] = await Promise.all(['numbat', WORD].map(hasVectors));
    expect(await tablesWith(WORD)).toEqual(before);
    expect(before).toEqual(
      expect.arrayContaining([
        'compression_answers',
        'document_chunks',
        'extraction_outputs',
        'memory_versions',
      ]),
    );

    const erasure = await request();
    const receipt = await waitFor(
      async () => {
        const found = await findErasure(under.database, TENANT, erasure.id);
        return found !== undefined && found.finishedAt !== null ? found : undefined;
      },
      { timeoutMs: 15_000, describe: 'the sweeper to ask for the erasure, and its end' },
    );
    expect(receipt.counts).toMatchObject({
      messages: 3,
      conversations: 2,
      extractions: 1,
      memories: 1,
      documents: 1,
    });
    expect(receipt.counts).toMatchObject({ idempotency_keys: 1, compression_runs: 1 });
    expect(await tablesWith(WORD)).toEqual([]);
    expect(await tablesWith('numbat')).toEqual(before);
    const erased = `select user_id, data->>'erasure_id' as id from events where type = 'user.erased'`;
    expect((await under.database.query(erased)).rows).toEqual([{ user_id: null, id: erasure.id }]);
    expect(under.log()).not.toContain(WORD);
  });

  test('goes on where a stopped run ended, and counts every row once', async () => {
    const conversationId = 'long';
    await under.extract(
      Array.from({ length: 1_200 }, (_, n) => ({ content: `${WORD} ${n}` })),
      { userId: USER, conversationId, queued: false },
    );
    const erasure = await request();
    const stopping = new AbortController();
    const stoppedInTime = {
      ...under.database,
      transaction: async <T>(...args: Parameters<typeof under.database.transaction<T>>) => {
        const result = await under.database.transaction(...args);
        if (result === 500) stopping.abort(new Error('stopped'));
        return result;
      },
    };
    await expect(
      createEraseJob({ database: stoppedInTime })(
        { tenantId: TENANT, erasureId: erasure.id },
        stopping.signal,
      ),
    ).rejects.toThrow('stopped');
    expect(await tablesWith(WORD)).not.toEqual([]);
    await Promise.all([erase(erasure), erase(erasure)]);
    expect((await findErasure(under.database, TENANT, erasure.id))?.counts).toEqual({
      extractions: 1,
      messages: 1_200,
      conversations: 1,
      users: 1,
    });
    expect(await tablesWith(WORD)).toEqual([]);
  });

  test('is not undone by an extraction that was under way', async () => {
    await under.start();
    under.model.setReply(({ endpoint }) => (endpoint === 'chat' ? { delayMs: 1_500 } : undefined));
    const id = await under.extract([{ content: `I live in ${WORD}.` }], { userId: USER });
    await waitFor(() => Promise.resolve(under.model.callCount > 0 || undefined), {
      timeoutMs: 15_000,
      describe: 'the model to be asked',
    });
    await erase(await request());
    await waitFor(() => Promise.resolve(/"duration_ms".*"msg":"extraction"/.test(under.log()) || undefined), {
      timeoutMs: 15_000,
      describe: 'the run to end',
    });
    expect(await tablesWith(WORD)).toEqual([]);
    expect(await tablesWith(id)).toEqual([]);
  });

  test('ends once, and what the user says afterwards stays', async () => {
    await under.extract([{ content: `I like ${WORD}.` }], { userId: USER, queued: false });
    const erasure = await request();
    expect((await request()).id).toBe(erasure.id);
    await erase(erasure);
    await under.extract([{ content: `I like ${WORD}.` }], { userId: USER, queued: false });
    expect(await erase(erasure)).toEqual({ kind: 'done', counts: { already_over: 1 } });
    expect(await tablesWith(WORD)).toEqual(['conversations', 'extractions', 'messages', 'users']);
    expect((await request()).id).not.toBe(erasure.id);
  });

  test('of whom there is nothing begins nothing', async () => {
    expect((await request()).id).toBe('none');
  });
});

test('an erasure waits for who is writing a memory', async () => {
  await under.extract([{ content: WORD }], { userId: USER, queued: false });
  const erasure = await request();
  let erasing: Promise<unknown> = Promise.resolve();
  await under.database.transaction(async (tx) => {
    await tx.query('select lock_user_memories($1::uuid, $2::text)', [TENANT, USER]);
    erasing = erase(erasure);
    await waitFor(
      async () => {
        const { waits } = await under.database.one<{ waits: boolean }>(
          `select exists (select from pg_locks where locktype = 'advisory' and not granted) as waits`,
        );
        return waits || undefined;
      },
      { timeoutMs: 15_000, describe: 'the erasure to wait for the lock' },
    );
    await insertMemories(tx, [newMemory(TENANT, USER, WORD)], { actor: 'test', extractionId: null });
  });
  await erasing;
  expect(await tablesWith(WORD)).toEqual([]);
});
