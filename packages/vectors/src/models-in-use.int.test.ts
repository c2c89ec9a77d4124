import { activateEmbeddingModel, beginEmbeddingBuild, dropEmbeddings } from '@factmill/database';
import { createEmbedder, type EmbedderConfig, LOCAL_EMBEDDING_PROFILE } from '@factmill/models';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { createModelsInUse, IN_USE_FOR_MS, type ModelsInUse } from './models-in-use.ts';
import { registerConfigured } from './register-configured.ts';
import { openVectorStand, type VectorStand } from './vectors.fixture.ts';

let stand: VectorStand;
let clock: number;
const closers: (() => Promise<void>)[] = [];

beforeEach(async () => {
  stand = await openVectorStand();
  clock = 0;
});
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
  await stand.close();
});

function open(config: EmbedderConfig): ModelsInUse {
  const configured = createEmbedder(config);
  const models = createModelsInUse({ database: stand.database, config, configured, now: () => clock });
  closers.push(models.close, configured.close);
  return models;
}

/** The id of the model in use, and whether it is complete. */
async function inUse(models: ModelsInUse): Promise<[string | undefined, boolean]> {
  const { embedder, isComplete } = await models.inUse();
  return [(await embedder.loadProfile())?.id, isComplete];
}

async function activate(id: string): Promise<void> {
  await beginEmbeddingBuild(stand.database, id, true);
  expect(await activateEmbeddingModel(stand.database, id)).toBe(true);
  clock += IN_USE_FOR_MS;
}

describe('which model is in use', () => {
  test('the first one at once, a later one when it is activated; processes follow within a second', async () => {
    const models = open(stand.configOf('new-16'));
    expect(await inUse(models)).toEqual(['new-16@16', true]);
    const old = await stand.register('old-8');
    clock += IN_USE_FOR_MS;
    expect(await inUse(models)).toEqual([old, true]);
    expect((await (await models.inUse()).embedder.embed(['a text']))[0]).toHaveLength(8);
    await activate(await stand.register('new-16'));
    expect(await inUse(models)).toEqual(['new-16@16', true]);
    // A process that has not restarted yet follows.
    expect(await inUse(open(stand.configOf('old-8')))).toEqual(['new-16@16', true]);
  });

  test('the local model stays in use wherever the new one is served', async () => {
    await registerConfigured({
      database: stand.database,
      config: { provider: 'local' },
      configured: createEmbedder({ provider: 'local' }),
    });
    const { embedder } = await open(stand.configOf('new-16')).inUse();
    expect(embedder.profile?.id).toBe(LOCAL_EMBEDDING_PROFILE.id);
  });

  test('a model of another address is never asked at this one: the new one is, incomplete', async () => {
    await stand.register('old-8');
    const moved = { ...stand.configOf('new-16'), baseUrl: `${stand.server.url}/elsewhere/..` };
    const { embedder, isComplete } = await open(moved).inUse();
    expect([embedder.profile?.id, isComplete]).toEqual(['new-16@16', false]);
    expect(stand.asked('old-8')).toEqual([]);
  });

  test('a model that its endpoint does not have any more makes room for a minute', async () => {
    const old = await stand.register('old-8');
    const models = open(stand.configOf('new-16'));
    stand.server.setReply(({ body }) => (body['model'] === 'old-8' ? { status: 404 } : undefined));
    const first = await models.inUse();
    await expect(first.embedder.embed(['a text'])).rejects.toMatchObject({ code: 'model_config' });
    expect(await inUse(models)).toEqual(['new-16@16', false]);
    stand.server.reset();
    clock += 60_000;
    expect(await inUse(models)).toEqual([old, true]);
  });

  test('an endpoint that chooses another size than before is a mistake; a size that was set is another model', async () => {
    await stand.register('sized-8');
    await stand.database.query(
      `update embedding_models set id = 'sized@8', endpoint_model = 'sized', endpoint_dimensions = null`,
    );
    const { dimensions: _, ...chooses } = { ...stand.configOf('sized-8'), model: 'sized' };
    const configured = createEmbedder(chooses);
    closers.push(configured.close);
    const mistaken = registerConfigured({ database: stand.database, config: chooses, configured });
    await expect(mistaken).rejects.toMatchObject({ code: 'embedding_mismatch' });
    expect((await open(chooses).inUse()).isComplete).toBe(true);

    const meant = open({ ...chooses, dimensions: 16 });
    await expect((await meant.inUse()).embedder.embed(['a text'])).rejects.toMatchObject({
      code: 'model_config',
    });
    expect(await inUse(meant)).toEqual(['sized@16', false]);
  });

  test('a database that is away leaves the last answer; one that never answered is an error', async () => {
    await stand.register('old-8');
    const models = open(stand.configOf('new-16'));
    await models.inUse();
    await stand.database.query('alter table embedding_models rename to gone');
    clock += IN_USE_FOR_MS;
    expect((await inUse(models))[0]).toBe('old-8@8');
    await expect(open(stand.configOf('new-16')).inUse()).rejects.toMatchObject({ name: 'AppError' });
    await stand.database.query('alter table gone rename to embedding_models');
  });
});

test('the vectors of a replaced model can be dropped, those in use cannot; and no process builds them again', async () => {
  const old = await stand.register('old-8');
  const [id = ''] = await stand.remember(['a note']);
  await stand.embed('old-8', { [id]: 'a note' });
  expect(await dropEmbeddings(stand.database, old, 10)).toBe(0);
  expect(await stand.embedded(old)).toEqual(['a note']);
  await activate(await stand.register('new-16'));
  expect(await dropEmbeddings(stand.database, old, 10)).toBe(1);
  expect(await dropEmbeddings(stand.database, old, 10)).toBe(0);
  expect(await stand.embedded(old)).toEqual([]);
  const config = stand.configOf('old-8');
  const again = await registerConfigured({
    database: stand.database,
    config,
    configured: stand.embedderOf('old-8'),
  });
  expect(again?.state).toBe('retired');
  await beginEmbeddingBuild(stand.database, old);
  expect(await activateEmbeddingModel(stand.database, old)).toBe(false);
  await activate(old);
  expect(await inUse(open(config))).toEqual([old, true]);
});
