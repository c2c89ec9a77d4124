import { registerEmbeddingModel } from '@factmill/database';
import { createEmbedder } from '@factmill/models';
import { freePort, type ScriptedRequest, waitFor } from '@factmill/testkit';
import { afterEach, describe, expect, test } from '@jest/globals';
import { type ExtractorUnderTest, openExtractorUnderTest, TENANT } from './extractor.fixture.ts';
import { inUse } from './in-use.fixture.ts';
import { createEmbedTexts, type EmbedTexts } from './providers/embed-texts.ts';

const opened: ExtractorUnderTest[] = [];
afterEach(async () => {
  for (const under of opened.splice(0)) await under.close();
});

async function open(env: Record<string, string> = {}): Promise<ExtractorUnderTest> {
  const under = await openExtractorUnderTest({ env });
  opened.push(under);
  return under;
}

const embeddings = (under: ExtractorUnderTest): ScriptedRequest[] =>
  under.model.calls.filter((call) => call.endpoint === 'embeddings');

/** What was embedded, less the word that the start asks for. */
const embedded = (under: ExtractorUnderTest): string[] =>
  embeddings(under).flatMap(({ body }) =>
    (body['input'] as string[]).filter((text) => text !== 'dimensions'),
  );

async function readVectors({ database }: ExtractorUnderTest): Promise<{ model: string; size: number }[]> {
  const { rows } = await database.query<{ model: string; size: number }>(
    'select model, vector_dims(embedding) as size from memory_embeddings order by memory_id',
  );
  return rows;
}

async function countWaiting({ database }: ExtractorUnderTest): Promise<number> {
  const { rowCount } = await database.query(
    'select 1 from memories where embedding_pending_since is not null',
  );
  return rowCount;
}

const health = async (url: string): Promise<unknown> => (await fetch(`${url}/health`)).json();

const LISBON = [{ content: 'I live in Lisbon.' }];

describe('an embedding endpoint that is away', () => {
  test('does not keep the extractor from starting or working, and costs one call, not one per extraction', async () => {
    const under = await open({ EMBEDDING_TIMEOUT_MS: '2000', BREAKER_PROBE_INTERVAL_MS: '60000' });
    under.model.setReply(({ endpoint }) => (endpoint === 'embeddings' ? { hang: true } : undefined));
    await under.start();
    await waitFor(() => under.log().includes('the embedding model does not answer'), {
      describe: 'the check',
    });
    for (const userId of ['maya', 'noor', 'ola']) {
      const row = await under.ledger(await under.extract(LISBON, { userId }));
      expect(row).toMatchObject({ state: 'done', added: 1, degraded: 'embedding_unavailable' });
    }
    expect(embeddings(under)).toHaveLength(1);
    expect(await countWaiting(under)).toBe(3);
  });

  test('when it is back, the vectors follow', async () => {
    const under = await open({ EMBEDDING_TIMEOUT_MS: '300' });
    under.model.setReply(({ endpoint }) => (endpoint === 'embeddings' ? { status: 503 } : undefined));
    await under.start();
    await under.ledger(await under.extract(LISBON));
    under.model.setReply(() => undefined);
    await waitFor(async () => (await readVectors(under)).length === 1, {
      timeoutMs: 30_000,
      describe: 'the vector',
    });
    expect(await countWaiting(under)).toBe(0);
    const { down } = await under.database.one<{ down: number }>(
      'select count(opened_at)::integer as down from provider_breakers',
    );
    expect(down).toBe(0);
  });

  test('the endpoint refuses connections', async () => {
    const under = await open({ EMBEDDING_BASE_URL: `http://127.0.0.1:${await freePort()}/v1` });
    await under.start();
    expect(await under.ledger(await under.extract(LISBON))).toMatchObject({ state: 'done', added: 1 });
  });
});

describe('texts that have a vector already', () => {
  /** As a process that has just been started has it: with nothing in its own cache. */
  async function openEmbedTexts(under: ExtractorUnderTest): Promise<EmbedTexts> {
    const embedder = createEmbedder(under.config.embedding);
    opened.push({ ...under, close: embedder.close });
    await embedder.loadProfile();
    return createEmbedTexts({
      models: inUse(embedder),
      database: under.database,
      usage: { recordLater: () => undefined },
      breaker: null,
      now: Date.now,
    });
  }
  const never = new AbortController().signal;

  test('are not embedded again: by a restated fact, by an embed job, by another process', async () => {
    const under = await open();
    await under.start();
    await under.ledger(await under.extract(LISBON));
    await waitFor(async () => (await readVectors(under)).length === 1, { describe: 'the first vector' });
    const [content = ''] = embedded(under);
    await under.ledger(await under.extract(LISBON));
    expect(embedded(under)).toEqual([content]);

    const embedTexts = await openEmbedTexts(under);
    const owners = [{ tenantId: TENANT, userId: 'maya' }];
    const vectors = await embedTexts([content, 'Something new.'], never, { owners });
    expect(embedded(under)).toEqual([content, 'Something new.']);
    const { vector } = await under.database.one<{ vector: string }>(
      'select embedding::text as vector from memory_embeddings',
    );
    expect(vectors.byText.get(content)).toEqual(JSON.parse(vector));
    expect(vectors.byText.get('Something new.')).toHaveLength(256);
  });

  test('are of this user, this model and these very words', async () => {
    const under = await open();
    await under.start();
    await under.ledger(await under.extract(LISBON));
    const [content = ''] = embedded(under);
    const embedTexts = await openEmbedTexts(under);
    await embedTexts([content], never, { owners: [{ tenantId: TENANT, userId: 'noor' }] });
    await embedTexts([content.toUpperCase()], never, { owners: [{ tenantId: TENANT, userId: 'maya' }] });
    expect(embedded(under)).toEqual([content, content, content.toUpperCase()]);
  });
});

describe('vectors of another size (C12)', () => {
  test('than a known model has: one sentence, no vectors, everything else works', async () => {
    const under = await open({ EMBEDDING_MODEL: 'nomic-embed-text' });
    const extractor = await under.start();
    await waitFor(() => under.log().includes('factmill reembed'), { describe: 'the sentence' });
    const row = await under.ledger(await under.extract(LISBON));
    expect(row).toMatchObject({ state: 'done', added: 1, degraded: 'embedding_unavailable' });
    await under.ledger(await under.extract([{ content: 'I work as a nurse.' }]));
    expect(await readVectors(under)).toEqual([]);
    expect(await countWaiting(under)).toBe(2);
    expect(embeddings(under)).toHaveLength(1);
    expect(under.log().split('factmill reembed')).toHaveLength(2);
    expect(await health(extractor.url)).toMatchObject({ status: 'degraded', impaired: ['embedding_model'] });
  });

  test('than the endpoint gave for the same model before', async () => {
    const under = await open();
    await registerEmbeddingModel(under.database, 'scripted-embedding@64', 64);
    await under.start();
    await waitFor(() => under.log().includes('factmill reembed'), { describe: 'the sentence' });
    await under.ledger(await under.extract(LISBON));
    expect(await readVectors(under)).toEqual([]);
    const { rows } = await under.database.query('select id from embedding_models');
    expect(rows).toEqual([{ id: 'scripted-embedding@64' }]);
  });

  test('that was set on purpose is another model', async () => {
    const under = await open({ EMBEDDING_DIMENSIONS: '32' });
    await registerEmbeddingModel(under.database, 'scripted-embedding@64', 64);
    await under.start();
    await under.ledger(await under.extract(LISBON));
    expect(await readVectors(under)).toEqual([{ model: 'scripted-embedding@32', size: 32 }]);
  });
});
