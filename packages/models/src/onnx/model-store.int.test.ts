import { createHash } from 'node:crypto';
import { appendFile, mkdir, mkdtemp, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { waitFor } from '@factmill/testkit';
import type { FetchProgress } from './fetch-file.ts';
import { COMMIT, type Hub, startHub } from './hub.fixture.ts';
import { ensureModel, type StoreConfig } from './model-store.ts';

const WEIGHTS = Buffer.from(Array.from({ length: 200_000 }, (_, index) => index % 251));
const FILES = {
  'config.json': '{"hidden_size":3}',
  'tokenizer.json': '{"model":{}}',
  'modules.json':
    '[{"type":"sentence_transformers.models.Transformer","path":""},{"type":"sentence_transformers.models.Pooling","path":"1_Pooling"}]',
  '1_Pooling/config.json': '{"pooling_mode_cls_token":true}',
  'onnx/model.onnx': WEIGHTS,
  'onnx/model_quantized.onnx': WEIGHTS.subarray(0, 1_000),
};
const MODEL = { kind: 'hub', owner: 'acme', name: 'encoder', revision: 'main' } as const;

let root: string;
let modelsDir: string;
let hub: Hub;
let progress: FetchProgress[];

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'factmill-hub-'));
});
afterAll(() => rm(root, { recursive: true }));
beforeEach(async () => {
  modelsDir = await mkdtemp(join(root, 'models-'));
  hub = await startHub(FILES);
  progress = [];
});
afterEach(() => hub.close());

function ensure(config: Partial<StoreConfig> = {}, revision = 'main') {
  return ensureModel(
    { ...MODEL, revision },
    { modelsDir, hubUrl: hub.url, file: null, settings: 'EMBEDDING', ...config },
    { now: Date.now, retryDelayMs: 0, onProgress: (event) => progress.push(event) },
    new AbortController().signal,
  );
}

const folder = () => join(modelsDir, 'acme/encoder/main');
const weights = () => readFile(join(folder(), 'onnx/model.onnx'));

async function partials(): Promise<string[]> {
  const names = await readdir(join(folder(), 'onnx'));
  return names.filter((name) => name.endsWith('.part'));
}

describe('a model of the hub', () => {
  test('is fetched with what the repository has of it, and tells how far it is', async () => {
    await expect(ensure()).resolves.toEqual({ folder: folder(), file: 'onnx/model.onnx', commit: COMMIT });
    expect(await weights()).toEqual(WEIGHTS);
    expect(await readFile(join(folder(), '1_Pooling/config.json'), 'utf8')).toBe(
      FILES['1_Pooling/config.json'],
    );
    expect(progress).toContainEqual({ file: 'onnx/model.onnx', bytes: 200_000, totalBytes: 200_000 });
    expect(await partials()).toEqual([]);
  });

  test('is used without the hub afterwards', async () => {
    await ensure();
    await hub.close();
    await expect(ensure()).resolves.toMatchObject({ file: 'onnx/model.onnx', commit: COMMIT });
  });

  test('goes on where the connection broke', async () => {
    hub.holdOnce.set('onnx/model.onnx', 70_000);
    // Each reading is later than a report may be late, so every piece is reported.
    let clock = Date.now();
    await ensureModel(
      MODEL,
      { modelsDir, hubUrl: hub.url, file: null, settings: 'EMBEDDING' },
      {
        now: () => (clock += 10_000),
        retryDelayMs: 0,
        onProgress: ({ file, bytes }) => {
          if (file === 'onnx/model.onnx' && bytes > 0) hub.breakHeld();
        },
      },
      new AbortController().signal,
    );
    expect(await weights()).toEqual(WEIGHTS);
    const starts = hub.requests.filter(({ name }) => name === 'onnx/model.onnx').map(({ from }) => from);
    expect(starts).toHaveLength(2);
    expect(starts[1]).toBeGreaterThan(0);
    expect(starts[1]).toBeLessThanOrEqual(70_000);
  });

  test('goes on where a process stopped, once nothing writes there any more', async () => {
    await mkdir(join(folder(), 'onnx'), { recursive: true });
    const left = join(folder(), 'onnx/model.onnx.another-process.part');
    await writeFile(left, WEIGHTS.subarray(0, 50_000));
    const longAgo = Date.now() / 1000 - 3_600;
    await utimes(left, longAgo, longAgo);
    await ensure();
    expect(await weights()).toEqual(WEIGHTS);
    expect(hub.requests.find(({ name }) => name === 'onnx/model.onnx')?.from).toBe(50_000);
    expect(await partials()).toEqual([]);
  });

  test('leaves what another process is writing alone', async () => {
    await mkdir(join(folder(), 'onnx'), { recursive: true });
    await writeFile(join(folder(), 'onnx/model.onnx.another-process.part'), WEIGHTS.subarray(0, 50_000));
    await ensure();
    expect(await weights()).toEqual(WEIGHTS);
    expect(hub.requests.find(({ name }) => name === 'onnx/model.onnx')?.from).toBe(0);
    expect(await partials()).toEqual(['model.onnx.another-process.part']);
  });

  test('begins anew when what has arrived is of another version', async () => {
    await mkdir(join(folder(), 'onnx'), { recursive: true });
    const left = join(folder(), 'onnx/model.onnx.another-version.part');
    await writeFile(left, Buffer.alloc(50_000, 7));
    const longAgo = Date.now() / 1000 - 3_600;
    await utimes(left, longAgo, longAgo);
    await ensure();
    expect(await weights()).toEqual(WEIGHTS);
  });

  test.each(['onnx/model.onnx', 'config.json'])('takes no damaged %s, and tries again', async (name) => {
    hub.damage.set(name, 1);
    await ensure();
    expect(await weights()).toEqual(WEIGHTS);
    expect(hub.requests.filter((request) => request.name === name)).toHaveLength(2);
  });

  test('is given up when every attempt is damaged', async () => {
    hub.damage.set('onnx/model.onnx', 100);
    await expect(ensure()).rejects.toMatchObject({
      code: 'model_transient',
      message: expect.stringContaining('onnx/model.onnx'),
    });
    await expect(weights()).rejects.toThrow('ENOENT');
  });

  test('is whole for two that begin to fetch it at the same time', async () => {
    const [first, second] = await Promise.all([ensure(), ensure()]);
    expect(second).toEqual(first);
    expect(await weights()).toEqual(WEIGHTS);
    expect(await partials()).toEqual([]);
  });

  test('can be another file of the repository', async () => {
    await ensure();
    await expect(ensure({ file: 'onnx/model_quantized.onnx' })).resolves.toMatchObject({
      file: 'onnx/model_quantized.onnx',
    });
  });

  test.each(['config.json', 'onnx/model.onnx'])('is not used when %s has changed since', async (name) => {
    await ensure();
    await appendFile(join(folder(), name), ' ');
    await expect(ensure()).rejects.toMatchObject({
      code: 'model_config',
      message: expect.stringContaining(name),
    });
  });
});

describe('a model that cannot be had', () => {
  test('a file that the repository has not', async () => {
    await expect(ensure({ file: 'onnx/other.onnx' })).rejects.toMatchObject({
      code: 'model_config',
      message:
        'The model hub has no file onnx/other.onnx for EMBEDDING_MODEL; check the name and the revision.',
    });
  });

  test('a repository that is not there', async () => {
    const missing = ensureModel(
      { ...MODEL, owner: 'nobody' },
      { modelsDir, hubUrl: hub.url, file: null, settings: 'RERANK' },
      { now: Date.now, retryDelayMs: 0, onProgress: () => {} },
      new AbortController().signal,
    );
    await expect(missing).rejects.toMatchObject({
      code: 'model_config',
      message: 'The model hub has no such model, or does not give it to everybody.',
    });
  });

  test('a pinned commit that the hub does not answer with', async () => {
    const pinned = createHash('sha1').update('another').digest('hex');
    await expect(ensure({}, pinned)).rejects.toMatchObject({ code: 'model_transient' });
    hub.commit.value = pinned;
    await expect(ensure({}, pinned)).resolves.toMatchObject({ commit: pinned });
  });

  test('a hub that cannot be reached', async () => {
    await hub.close();
    await expect(ensure()).rejects.toMatchObject({
      code: 'model_transient',
      message: expect.stringContaining('no connection'),
    });
  });

  test('a hub that stops answering is left when the process stops', async () => {
    const stopping = new AbortController();
    hub.holdOnce.set('config.json', 3);
    const fetching = ensureModel(
      MODEL,
      { modelsDir, hubUrl: hub.url, file: null, settings: 'EMBEDDING' },
      { now: Date.now, retryDelayMs: 0, onProgress: () => {} },
      stopping.signal,
    );
    await waitFor(() => Promise.resolve(hub.requests.length > 0), { describe: 'the request' });
    stopping.abort(new Error('stopping'));
    await expect(fetching).rejects.toThrow('stopping');
  });

  test('a folder that cannot be written', async () => {
    const file = join(modelsDir, 'a-file');
    await writeFile(file, '');
    await expect(ensure({ modelsDir: file })).rejects.toMatchObject({
      code: 'model_config',
      message: expect.stringContaining('MODELS_DIR'),
    });
  });
});
