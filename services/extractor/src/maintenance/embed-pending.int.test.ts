import { createEmbedder } from '@factmill/models';
import { writeMemories } from '@factmill/memories';
import { waitFor } from '@factmill/testkit';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { v7 as uuidv7 } from 'uuid';
import { type ExtractorUnderTest, openExtractorUnderTest, TENANT } from '../extractor.fixture.ts';
import { inUse } from '../in-use.fixture.ts';
import { createEmbedTexts } from '../providers/embed-texts.ts';
import { createEmbedPending } from './embed-pending.ts';

let under: ExtractorUnderTest;
let closeEmbedder: () => Promise<void>;
let embedPending: ReturnType<typeof createEmbedPending>;
const never = new AbortController().signal;

beforeEach(async () => {
  under = await openExtractorUnderTest();
  const embedder = createEmbedder(under.config.embedding);
  closeEmbedder = embedder.close;
  embedPending = createEmbedPending({
    database: under.database,
    embedTexts: createEmbedTexts({
      models: inUse(embedder),
      database: under.database,
      usage: { recordLater: () => undefined },
      breaker: null,
      now: Date.now,
    }),
    logger: under.logger,
  });
});
afterEach(async () => {
  await closeEmbedder();
  await under.close();
});

async function note(content: string): Promise<string> {
  const [written] = await under.database.transaction((tx) =>
    writeMemories(tx, {
      tenantId: TENANT,
      userId: 'maya',
      memories: [
        {
          candidate: {
            kind: 'note',
            tier: 2,
            category: 'general',
            key: null,
            value: null,
            content,
            question: null,
            answer: null,
            tags: [],
            importance: 0.5,
            confidence: 80,
            source: 'user',
            sourceContext: null,
            messageIds: [],
            statedAt: new Date(),
          },
        },
      ],
      actor: { actor: 'api', extractionId: null },
      wantsEmbedding: true,
      newId: uuidv7,
      now: new Date(),
    }),
  );
  return written?.id ?? '';
}

async function embedded(): Promise<string[]> {
  const { rows } = await under.database.query<{ content: string }>(
    `select m.content from memory_embeddings e join memories m on m.id = e.memory_id
     where e.content_hash = m.content_hash order by m.content`,
  );
  return rows.map((row) => row.content);
}

async function waiting(): Promise<number> {
  const { rowCount } = await under.database.query(
    'select 1 from memories where embedding_pending_since is not null',
  );
  return rowCount;
}

describe('the embed job', () => {
  test('computes what is missing, over several pages, and nothing twice', async () => {
    for (let n = 0; n < 70; n += 1) await note(`note number ${n}`);
    expect(await embedPending({}, never)).toEqual({ kind: 'done', counts: { embedded: 70 } });
    expect(await embedded()).toHaveLength(70);
    const calls = under.model.calls.length;
    expect(await embedPending({}, never)).toEqual({ kind: 'done', counts: { embedded: 0 } });
    expect(under.model.calls).toHaveLength(calls);
  });

  test('computes those named only', async () => {
    const one = await note('the first note');
    await note('the second note');
    await embedPending({ memoryIds: [one] }, never);
    expect(await embedded()).toEqual(['the first note']);
    expect(await waiting()).toBe(1);
  });

  test('ends when the endpoint is down, and does it all when it is back', async () => {
    await note('a patient note');
    under.model.setReply(() => ({ status: 503 }));
    expect(await embedPending({}, never)).toEqual({ kind: 'done', counts: { embedded: 0, unavailable: 1 } });
    expect(await waiting()).toBe(1);
    under.model.setReply(() => undefined);
    await embedPending({}, never);
    expect(await embedded()).toEqual(['a patient note']);
  });

  test('a memory edited while its vector is computed keeps waiting for the new text’s', async () => {
    const id = await note('the old text');
    under.model.setReply(() => ({ delayMs: 200 }));
    const job = embedPending({}, never);
    await waitFor(() => under.model.calls.length === 1, { describe: 'the model to be asked' });
    await under.database.query(
      `update memories set content = 'the new text', content_hash = sha256('the new text'::bytea) where id = $1::uuid`,
      [id],
    );
    await job;
    expect(await waiting()).toBe(1);
    await embedPending({}, never);
    expect(await embedded()).toEqual(['the new text']);
    expect(await waiting()).toBe(0);
  });

  test('one text that the model refuses does not keep the others waiting', async () => {
    for (const content of ['one good note', 'a poisonous note', 'another good note']) await note(content);
    under.model.setReply(({ body }) =>
      JSON.stringify(body['input']).includes('poison') ? { status: 400 } : undefined,
    );
    await embedPending({}, never);
    expect(await embedded()).toEqual(['another good note', 'one good note']);
    expect(await waiting()).toBe(0);
    expect(under.log()).not.toContain('poisonous');
  });
});
