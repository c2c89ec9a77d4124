import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { tinyCrossEncoder, tinyEncoder, writeTinyModel } from '@factmill/testkit';
import { createReranker } from '../reranker.ts';
import type { Reranker } from '../reranker-config.ts';

let folder: string;
let reranker: Reranker;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'factmill-rerank-'));
  await writeTinyModel(join(folder, 'cross'), tinyCrossEncoder(['cat', 'dog', 'river', 'mina']));
  await writeTinyModel(join(folder, 'encoder'), tinyEncoder({ words: { cat: [1] } }));
  reranker = create(join(folder, 'cross'));
});
afterAll(async () => {
  await reranker.close();
  await rm(folder, { recursive: true });
});

function create(model: string): Reranker {
  const created = createReranker({
    provider: 'onnx',
    model,
    file: null,
    sha256: null,
    modelsDir: folder,
    hubUrl: 'http://127.0.0.1:1',
    threads: 1,
    timeoutMs: 60_000,
    topN: 20,
  });
  if (created === null) throw new Error('a reranker');
  return created;
}

test('answers at once while its model is not loaded, then with the logits of the model', async () => {
  await expect(reranker.rerank('cat', ['cat'])).rejects.toMatchObject({ code: 'model_transient' });
  await reranker.load();
  const documents = [
    'The dog swims in the river.',
    'Mina is a cat.',
    'Nothing.',
    'My cat is called Mina, my dog Bo.',
  ];
  await expect(reranker.rerank('Which cat is Mina?', documents)).resolves.toEqual([-2, 2, -2, 2]);
  expect(reranker).toMatchObject({ scale: 'logits', topN: 20 });
  await expect(reranker.rerank('cat', [])).resolves.toEqual([]);
});

test('cuts documents and queries that are too long, and keeps something of both', async () => {
  await reranker.load();
  const long = 'river '.repeat(1_000);
  const [both = 0, ...others] = await reranker.rerank(`cat ${long}`, [`cat ${long}`, 'cat', 'dog']);
  // Of 61 tokens beside the special ones, about half are of the query.
  expect(both).toBeGreaterThan(2 * 28 * 28);
  expect(both).toBeLessThan(2 * 31 * 31);
  expect(others).toEqual([0, -2]);
});

test('an encoder is no cross-encoder', async () => {
  const wrong = create(join(folder, 'encoder'));
  await expect(wrong.load()).rejects.toMatchObject({
    code: 'model_config',
    message: 'The ONNX runtime cannot use the files of RERANK_MODEL.',
    cause: new Error('the model has no output logits'),
  });
  await wrong.close();
});

test('a name that is none is refused before anything is loaded', () => {
  expect(() => create('../cross')).toThrow(expect.objectContaining({ code: 'config_invalid' }));
});
