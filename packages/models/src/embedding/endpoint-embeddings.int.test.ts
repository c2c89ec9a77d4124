import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { createScriptedModel, type ScriptedModel, toWordVector, waitFor } from '@factmill/testkit';
import { createEmbedder, type Embedder } from './embedder.ts';

describe('an OpenAI-compatible embedder', () => {
  let server: ScriptedModel;
  let embedder: Embedder;
  const open = (model = 'own', dimensions?: number): Embedder =>
    createEmbedder({
      provider: 'openai',
      baseUrl: server.url,
      model,
      timeoutMs: 5000,
      batchSize: 3,
      ...(dimensions === undefined ? {} : { dimensions }),
    });
  const vectorsBody = (vectors: readonly unknown[]): object => ({
    data: vectors.map((embedding, index) => ({ index, embedding })),
  });

  beforeAll(async () => {
    server = await createScriptedModel({ dimensions: 64 });
  });
  afterAll(() => server.close());
  beforeEach(() => {
    server.reset();
    embedder = open();
  });
  afterEach(() => embedder.close());

  test('embeds in batches and keeps the order', async () => {
    const texts = ['one cup', 'two cups', 'three', 'four', 'five', 'one cup', 'six', 'seven'];
    const vectors = await embedder.embed(texts);
    expect(server.calls.map(({ body }) => body['input'])).toEqual([
      ['one cup', 'two cups', 'three'],
      ['four', 'five', 'six'],
      ['seven'],
    ]);
    texts.forEach((text, index) => {
      toWordVector(text, 64).forEach((value, at) => expect(vectors[index]?.[at]).toBeCloseTo(value, 5));
    });
  });

  test('asks again only for texts it has not seen', async () => {
    await embedder.embed(['a', 'b']);
    await embedder.embed(['b', 'c']);
    expect(server.calls.map(({ body }) => body['input'])).toEqual([['a', 'b'], ['c']]);
  });

  test('puts the vectors where their index says', async () => {
    server.setReply(() => ({
      body: {
        data: [
          { index: 1, embedding: [0, 2] },
          { index: 0, embedding: [3, 0] },
        ],
      },
    }));
    expect(await embedder.embed(['a', 'b'])).toEqual([
      [1, 0],
      [0, 1],
    ]);
  });

  test('reads base64', async () => {
    const base64 = Buffer.from(Float32Array.of(0, -4).buffer).toString('base64');
    server.setReply(() => ({ body: vectorsBody([base64]) }));
    expect(await embedder.embed(['a'])).toEqual([[0, -1]]);
  });

  test('learns the size of an unknown model from one call', async () => {
    expect(embedder.profile).toBeNull();
    expect(await embedder.loadProfile()).toMatchObject({ id: 'own@64', dimensions: 64 });
    await embedder.loadProfile();
    expect(embedder.profile).toMatchObject({ id: 'own@64' });
    expect(server.calls).toHaveLength(1);
  });

  test('knows a known model without a call, and sends a size only when it is another', async () => {
    const known = open('text-embedding-3-small', 1536);
    expect(await known.loadProfile()).toMatchObject({ id: 'text-embedding-3-small', dimensions: 1536 });
    expect(server.calls).toHaveLength(0);
    const smaller = open('text-embedding-3-small', 32);
    expect((await smaller.embed(['a']))[0]).toHaveLength(32);
    expect(server.calls[0]?.body['dimensions']).toBe(32);
  });

  test('vectors of another size are an error that says how to go on', async () => {
    const other = open('nomic-embed-text');
    await expect(other.embed(['a'])).rejects.toMatchObject({
      code: 'embedding_mismatch',
      message: expect.stringMatching(/64 dimensions, but 768.*factmill reembed/),
    });
  });

  test.each([
    ['too few vectors', vectorsBody([[1]])],
    [
      'vectors of several sizes',
      vectorsBody([
        [1, 2],
        [1, 2, 3],
      ]),
    ],
    [
      'a null',
      vectorsBody([
        [1, 0],
        [null, 1],
      ]),
    ],
    ['an empty vector', vectorsBody([[], []])],
    [
      'the same index twice',
      {
        data: [
          { index: 0, embedding: [1] },
          { index: 0, embedding: [1] },
        ],
      },
    ],
    ['nothing', {}],
  ])('%s is a bad reply', async (_, body) => {
    server.setReply(() => ({ body }));
    await expect(embedder.embed(['a', 'b'])).rejects.toMatchObject({ code: 'model_bad_reply' });
  });

  test('errors are those of every model call', async () => {
    server.setReply(() => ({ status: 503, headers: { 'retry-after': '4' } }));
    await expect(embedder.embed(['a'])).rejects.toMatchObject({
      code: 'model_transient',
      retryAfterSeconds: 4,
    });
    server.setReply(() => ({ status: 401 }));
    await expect(embedder.embed(['a'])).rejects.toMatchObject({
      code: 'model_config',
      message: expect.stringContaining('EMBEDDING_API_KEY'),
    });
    await expect(embedder.embed(['a', ' '])).rejects.toMatchObject({ code: 'model_input' });
  });

  test('an abort surfaces as itself', async () => {
    server.setReply(() => ({ hang: true }));
    const controller = new AbortController();
    const call = embedder.embed(['a'], { signal: controller.signal });
    await waitFor(() => server.calls.length === 1, { describe: 'the call to arrive' });
    controller.abort(new Error('stopping'));
    await expect(call).rejects.toThrow('stopping');
  });
});

describe('no embedder', () => {
  test('has no profile and says how to get one', async () => {
    const none = createEmbedder({ provider: 'none' });
    expect(none.profile).toBeNull();
    expect(await none.loadProfile()).toBeNull();
    await expect(none.embed(['a'])).rejects.toMatchObject({ code: 'embedding_unavailable' });
    await none.close();
  });
});
