import { countPendingChunks, deleteDocument } from '@factmill/database';
import { createEmbedder } from '@factmill/models';
import { waitFor } from '@factmill/testkit';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { type ExtractorUnderTest, openExtractorUnderTest, TENANT } from '../extractor.fixture.ts';
import { storeDocument } from '../store-document.fixture.ts';
import { inUse } from '../in-use.fixture.ts';
import { createEmbedTexts } from '../providers/embed-texts.ts';
import { createEmbedTaken } from './embed-taken.ts';
import { WAITING_CHUNKS } from './waiting-texts.ts';

let under: ExtractorUnderTest;
let closeEmbedder: () => Promise<void>;
let embedChunks: ReturnType<typeof createEmbedTaken>;
let clock = 0;
const never = new AbortController().signal;

beforeEach(async () => {
  under = await openExtractorUnderTest();
  const embedder = createEmbedder(under.config.embedding);
  closeEmbedder = embedder.close;
  clock = 0;
  embedChunks = createEmbedTaken({
    waiting: WAITING_CHUNKS,
    database: under.database,
    embedTexts: createEmbedTexts({
      models: inUse(embedder),
      database: under.database,
      usage: { recordLater: () => undefined },
      breaker: null,
      now: Date.now,
    }),
    logger: under.logger,
    now: () => clock,
  });
});
afterEach(async () => {
  await closeEmbedder();
  await under.close();
});

const parts = (count: number) => Array.from({ length: count }, (_, n) => `Part number ${n}.\n\n`);

async function vectors(): Promise<number> {
  const { count } = await under.database.one<{ count: number }>(
    'select count(*)::integer as count from document_chunk_embeddings',
  );
  return count;
}

async function asked(): Promise<number> {
  return under.model.calls.flatMap((call) => call.body['input'] as string[]).length;
}

describe('the vectors of documents', () => {
  test('are computed page by page, each once, also when two workers are at it', async () => {
    await storeDocument(under.database, { chunks: parts(80) });
    const embedder = createEmbedder(under.config.embedding);
    const other = createEmbedTaken({
      waiting: WAITING_CHUNKS,
      database: under.database,
      embedTexts: createEmbedTexts({
        models: inUse(embedder),
        database: under.database,
        usage: { recordLater: () => undefined },
        breaker: null,
        now: Date.now,
      }),
      logger: under.logger,
      now: () => 0,
    });
    await Promise.all([embedChunks(never), other(never)]);
    await embedder.close();
    expect(await vectors()).toBe(80);
    expect(await asked()).toBe(80);
    expect(await countPendingChunks(under.database)).toBe(0);
    expect(await embedChunks(never)).toEqual({ kind: 'done', counts: { chunks: 0 } });
  });

  test('of a book leave room for other work: a run ends after seconds and asks for another', async () => {
    await storeDocument(under.database, { chunks: parts(50) });
    under.model.setReply(() => {
      clock += 6_000;
      return undefined;
    });
    expect(await embedChunks(never)).toEqual({ kind: 'delay', ms: 50 });
    expect(await vectors()).toBe(32);
    expect(await embedChunks(never)).toMatchObject({ kind: 'delay' });
    expect(await vectors()).toBe(50);
  });

  test('follow when the endpoint is back; a part that it refuses is given up alone', async () => {
    const refused = [...parts(3), 'A poisonous part.'];
    await storeDocument(under.database, { chunks: refused });
    under.model.setReply(() => ({ status: 503 }));
    expect(await embedChunks(never)).toEqual({ kind: 'done', counts: { chunks: 0, unavailable: 1 } });
    expect(await countPendingChunks(under.database)).toBe(4);
    under.model.setReply((request) =>
      JSON.stringify(request.body).includes('poisonous') ? { status: 400 } : undefined,
    );
    await embedChunks(never);
    expect(await vectors()).toBe(3);
    expect(await countPendingChunks(under.database)).toBe(0);
    expect(under.log()).not.toContain('poisonous');
  });

  test('of a document that is deleted meanwhile are left out', async () => {
    const id = await storeDocument(under.database, { chunks: parts(2) });
    under.model.setReply(() => ({ delayMs: 200 }));
    const run = embedChunks(never);
    await waitFor(() => under.model.calls.length === 1, { describe: 'the model to be asked' });
    await deleteDocument(under.database, { tenantId: TENANT, userId: null, id });
    await run;
    expect(await vectors()).toBe(0);
  });

  test('are asked for by the sweeper', async () => {
    await under.start();
    await storeDocument(under.database, { chunks: parts(3) });
    await waitFor(async () => (await vectors()) === 3, {
      timeoutMs: 20_000,
      describe: 'the vectors to be there',
    });
  });
});
