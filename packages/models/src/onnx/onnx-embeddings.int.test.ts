import { createHash } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { tinyEncoder, type TinyFiles, writeTinyModel } from '@factmill/testkit';
import { createEmbedder, type Embedder } from '../embedding/embedder.ts';
import { startHub } from './hub.fixture.ts';
import type { OnnxConfig } from './onnx-model.ts';

const WORDS = { cat: [3, 0, 0], kitten: [3, 0, 0], dog: [0, 4, 0], river: [0, 0, 5], ask: [0, 0, 9] };
const SPECIALS = [
  [0, 0, 0],
  [0, 0, 0],
  [1, 1, 0],
  [0, 0, 0],
];

let root: string;
const open: Readonly<{ close: () => Promise<void> }>[] = [];
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'factmill-onnx-'));
});
afterEach(async () => {
  await Promise.all(open.splice(0).map((embedder) => embedder.close()));
});
afterAll(() => rm(root, { recursive: true }));

function embedderOf(model: string, config: Partial<OnnxConfig> = {}): Embedder {
  const embedder = createEmbedder(
    {
      provider: 'onnx',
      model,
      file: null,
      sha256: null,
      modelsDir: join(root, 'models'),
      hubUrl: 'http://127.0.0.1:1',
      threads: 1,
      timeoutMs: 60_000,
      batchSize: 4,
      ...config,
    },
    { now: Date.now, retryDelayMs: 0 },
  );
  open.push(embedder);
  return embedder;
}

async function folderWith(name: string, files: TinyFiles): Promise<string> {
  const folder = join(await mkdtemp(join(root, 'folder-')), name);
  await writeTinyModel(folder, files);
  return folder;
}

const rounded = (vectors: readonly (readonly number[])[]) =>
  vectors.map((vector) => vector.map((value) => Math.round(value * 1e4) / 1e4));

describe('an embedding model in a folder', () => {
  test('gives unit vectors in the order of the texts, whatever their lengths', async () => {
    const embedder = embedderOf(await folderWith('house', tinyEncoder({ words: WORDS })));
    const texts = ['cat', 'dog dog dog dog dog', 'cat dog', 'Kitten!', 'river cat', 'the dog'];
    expect(rounded(await embedder.embed(texts))).toEqual([
      [1, 0, 0],
      [0, 1, 0],
      [0.6, 0.8, 0],
      [1, 0, 0],
      [0.5145, 0, 0.8575],
      [0, 1, 0],
    ]);
    expect(embedder.profile).toMatchObject({
      id: expect.stringMatching(/^onnx:house@[0-9a-f]{12}$/),
      dimensions: 3,
      maxInputTokens: 64,
    });
  });

  test('pools as its own configuration says', async () => {
    const files = tinyEncoder({ words: WORDS, specials: SPECIALS, pooling: 'cls_token' });
    const embedder = embedderOf(await folderWith('house', files));
    expect(rounded(await embedder.embed(['cat', 'river']))).toEqual([
      [0.7071, 0.7071, 0],
      [0.7071, 0.7071, 0],
    ]);
  });

  test('puts its own prompt before a query, and none before a passage', async () => {
    const files = tinyEncoder({ words: WORDS, prompts: { query: 'ask ', document: '' } });
    const embedder = embedderOf(await folderWith('house', files));
    expect(rounded(await embedder.embed(['cat'], { as: 'query' }))).toEqual([[0.3162, 0, 0.9487]]);
    expect(rounded(await embedder.embed(['cat']))).toEqual([[1, 0, 0]]);
  });

  test('a known model needs neither pooling nor prompts in its folder', async () => {
    const words = { query: [0, 0, 2], passage: [0, 2, 0], cat: [2, 0, 0] };
    const files = tinyEncoder({ words, pooling: null });
    const embedder = embedderOf(await folderWith('multilingual-e5-small', files));
    expect(rounded(await embedder.embed(['cat'], { as: 'query' }))).toEqual([[0.7071, 0, 0.7071]]);
    expect(rounded(await embedder.embed(['cat']))).toEqual([[0.7071, 0.7071, 0]]);
    expect(embedder.profile).toMatchObject({ minSimilarity: 0.8, reads: 'any' });
  });

  test('reads as many tokens as the model can, and no more', async () => {
    const files = tinyEncoder({ words: WORDS, maxTokens: 6 });
    const embedder = embedderOf(await folderWith('house', files));
    expect(
      rounded(await embedder.embed(['cat cat cat cat dog dog dog', `cat ${'dog '.repeat(10_000)}`])),
    ).toEqual([
      [1, 0, 0],
      [0.2425, 0.9701, 0],
    ]);
  });

  test('another version of it has vectors of another name', async () => {
    const idOf = async (files: TinyFiles) =>
      (await embedderOf(await folderWith('house', files)).loadProfile())?.id;
    const ids = [
      await idOf(tinyEncoder({ words: WORDS })),
      await idOf(tinyEncoder({ words: WORDS })),
      await idOf(tinyEncoder({ words: { ...WORDS, dog: [0, 5, 0] } })),
      await idOf(tinyEncoder({ words: WORDS, pooling: 'cls_token' })),
      await idOf(tinyEncoder({ words: WORDS, prompts: { query: 'ask ' } })),
    ];
    expect(ids[1]).toBe(ids[0]);
    expect(new Set(ids).size).toBe(4);
  });
});

describe('a folder that cannot be used', () => {
  const files = tinyEncoder({ words: WORDS });
  const without = (name: string) => Object.fromEntries(Object.entries(files).filter(([key]) => key !== name));

  test.each([
    ['no config.json', without('config.json'), 'The folder of EMBEDDING_MODEL has no config.json.'],
    ['no tokenizer', without('tokenizer.json'), 'The folder of EMBEDDING_MODEL has no tokenizer.json.'],
    [
      'no weights',
      without('onnx/model.onnx'),
      'The folder of EMBEDDING_MODEL has no onnx/model.onnx or model.onnx.',
    ],
    ['no pooling', without('1_Pooling/config.json'), 'does not say how the model pools'],
    ['weights that are none', { ...files, 'onnx/model.onnx': 'not a model' }, 'cannot use the files'],
    ['a tokenizer that is none', { ...files, 'tokenizer.json': '{}' }, 'cannot use the files'],
    ['a config that is no JSON', { ...files, 'config.json': '{' }, 'config.json of the model is not JSON'],
    ['an unknown pooling', tinyEncoder({ words: WORDS, pooling: 'weightedmean_tokens' }), 'pools in a way'],
    [
      'a layer after the ONNX file',
      { ...files, 'modules.json': '[{"type":"sentence_transformers.models.Dense","path":"2_Dense"}]' },
      'steps after its ONNX file',
    ],
    ['no size', { ...files, 'config.json': '{}' }, 'how long its vectors are'],
    ['another size', { ...files, 'config.json': '{"hidden_size":7}' }, 'vectors of another length'],
  ] as const)('%s: one sentence says what is wrong', async (_, content, sentence) => {
    const embedder = embedderOf(await folderWith('house', content));
    await expect(embedder.embed(['cat'])).rejects.toMatchObject({
      code: 'model_config',
      message: expect.stringContaining(sentence),
    });
  });

  test('a file with another SHA-256 than the pinned one', async () => {
    const folder = await folderWith('house', files);
    const right = createHash('sha256')
      .update(files['onnx/model.onnx'] ?? '')
      .digest('hex');
    await expect(embedderOf(folder, { sha256: right }).embed(['cat'])).resolves.toHaveLength(1);
    await expect(embedderOf(folder, { sha256: '0'.repeat(64) }).embed(['cat'])).rejects.toMatchObject({
      code: 'model_config',
      message: expect.stringContaining('EMBEDDING_MODEL_SHA256'),
    });
  });

  test('a failure is told at once for a while, then it is tried again', async () => {
    const folder = await folderWith('house', { ...files, 'onnx/model.onnx': 'not a model' });
    let now = 1_000_000;
    const embedder = createEmbedder(
      {
        provider: 'onnx',
        model: folder,
        file: null,
        sha256: null,
        modelsDir: root,
        hubUrl: 'http://127.0.0.1:1',
        threads: 1,
        timeoutMs: 60_000,
        batchSize: 4,
      },
      { now: () => now },
    );
    open.push(embedder);
    await expect(embedder.embed(['cat'])).rejects.toMatchObject({ code: 'model_config' });
    await writeTinyModel(folder, files);
    await expect(embedder.embed(['cat'])).rejects.toMatchObject({ code: 'model_config' });
    now += 30_000;
    await expect(embedder.embed(['cat'])).resolves.toHaveLength(1);
  });
});

describe('an embedding model of the hub', () => {
  test('is fetched by the first use, loaded from its folder by the next', async () => {
    const hub = await startHub(tinyEncoder({ words: WORDS }));
    open.push(hub);
    const first = embedderOf('acme/encoder', { hubUrl: hub.url });
    expect(first.profile).toBeNull();
    expect(rounded(await first.embed(['cat dog']))).toEqual([[0.6, 0.8, 0]]);
    await hub.close();
    const later = embedderOf('acme/encoder', { hubUrl: hub.url });
    await later.load();
    expect(later.isLoaded()).toBe(true);
    expect(later.profile).toEqual(first.profile);
  });

  test('closes while it is being fetched', async () => {
    const hub = await startHub(tinyEncoder({ words: WORDS }));
    open.push(hub);
    const embedder = embedderOf('acme/encoder@closing', { hubUrl: hub.url });
    const embedding = embedder.embed(['cat']);
    await Promise.all([expect(embedding).rejects.toMatchObject({ code: 'shutting_down' }), embedder.close()]);
    await expect(embedder.embed(['cat'])).rejects.toMatchObject({ code: 'shutting_down' });
  });
});

test('a batch that takes longer than EMBEDDING_TIMEOUT_MS is given up', async () => {
  const hasty = embedderOf(await folderWith('house', tinyEncoder({ words: WORDS })), { timeoutMs: 1 });
  await hasty.load();
  const long = Array.from({ length: 4 }, (_, index) => `${'dog '.repeat(50_000)} ${index}`);
  await expect(hasty.embed(long)).rejects.toMatchObject({ code: 'model_transient' });
});
