import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { activateEmbeddingModel, beginEmbeddingBuild } from '@factmill/database';
import { createEmbedder, type EmbedderConfig } from '@factmill/models';
import { tinyEncoder, writeTinyModel } from '@factmill/testkit';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createModelsInUse, type ModelsInUse } from './models-in-use.ts';
import { registerConfigured } from './register-configured.ts';
import { openVectorStand, type VectorStand } from './vectors.fixture.ts';

type OnnxConfig = Extract<EmbedderConfig, { provider: 'onnx' }>;

let root: string;
let stand: VectorStand;
const closers: (() => Promise<void>)[] = [];
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'factmill-vectors-'));
  stand = await openVectorStand();
  await writeTinyModel(join(root, 'old'), tinyEncoder({ words: { cat: [1, 0] } }));
  await writeTinyModel(join(root, 'new'), tinyEncoder({ words: { cat: [1, 0, 0] } }));
});
afterAll(async () => {
  for (const close of closers) await close();
  await stand.close();
  await rm(root, { recursive: true });
});

function configOf(name: string): OnnxConfig {
  return {
    provider: 'onnx',
    model: join(root, name),
    file: null,
    sha256: null,
    modelsDir: root,
    hubUrl: 'http://127.0.0.1:1',
    threads: 1,
    timeoutMs: 60_000,
    batchSize: 16,
  };
}

async function open(config: OnnxConfig): Promise<Readonly<{ models: ModelsInUse; id: string }>> {
  const configured = createEmbedder(config);
  closers.push(configured.close);
  const registered = await registerConfigured({ database: stand.database, config, configured });
  const models = createModelsInUse({ database: stand.database, config, configured, now: Date.now });
  closers.push(models.close);
  return { models, id: registered?.profile.id ?? '' };
}

test('a model from ONNX files stays in use from its folder until the vectors of the new one are there', async () => {
  const old = await open(configOf('old'));
  expect(await old.models.inUse()).toMatchObject({ isComplete: true, isLocal: true });

  const next = await open(configOf('new'));
  expect(next.id).not.toBe(old.id);
  const meanwhile = await next.models.inUse();
  expect(meanwhile).toMatchObject({ isComplete: true, isLocal: true, endpoint: undefined });
  expect(await meanwhile.embedder.embed(['cat'])).toEqual([[1, 0]]);
  expect(meanwhile.embedder.profile?.id).toBe(old.id);

  await beginEmbeddingBuild(stand.database, next.id);
  expect(await activateEmbeddingModel(stand.database, next.id)).toBe(true);
  const { models } = await open(configOf('new'));
  const after = await models.inUse();
  expect(after.isComplete).toBe(true);
  expect(await after.embedder.embed(['cat'])).toEqual([[1, 0, 0]]);
});

test('one whose folder holds another version by now makes room for the configured one', async () => {
  await writeTinyModel(join(root, 'new'), tinyEncoder({ words: { cat: [1, 0, 0], dog: [0, 1, 0] } }));
  const { models, id } = await open(configOf('old'));
  const replaced = await models.inUse();
  await expect(replaced.embedder.embed(['cat'])).rejects.toMatchObject({ code: 'model_config' });
  const { embedder, isComplete } = await models.inUse();
  expect([embedder.profile?.id, isComplete]).toEqual([id, false]);
});
