import { vectorsSchema } from '@factmill/contracts';
import {
  DEFAULT_TENANT_ID,
  beginEmbeddingBuild,
  registerEmbeddingModel,
  saveEmbeddings,
} from '@factmill/database';
import { createScriptedModel, type ScriptedModel } from '@factmill/testkit';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type GatewayUnderTest, startGateway } from '../gateway.fixture.ts';

let model: ScriptedModel;
let gateway: GatewayUnderTest;
beforeAll(async () => {
  model = await createScriptedModel({ dimensions: 16 });
  gateway = await startGateway({ EMBEDDING_BASE_URL: model.url, EMBEDDING_MODEL: 'new' });
});
afterAll(async () => {
  await gateway.close();
  await model.close();
});

const count = async (query = '') =>
  vectorsSchema.parse((await gateway.call('GET', `/v1/vectors${query}`)).body);

/** The steps of an operator who changes the model, one after the other. */
test('counts, finds what is missing, builds another model, and deletes what is left of the old one', async () => {
  const { body: saved } = await gateway.call('POST', '/v1/memories', {
    body: { user_id: 'maya', content: 'The user sails.' },
  });
  await gateway.call('POST', '/v1/memories', { body: { user_id: 'maya', content: 'The user rows.' } });
  expect(await count()).toMatchObject({ in_use: null, model: null, memories: 2, memories_to_embed: 2 });

  await registerEmbeddingModel(gateway.database, 'old@16', 16);
  const vector = Array.from({ length: 16 }, () => 0.25);
  await saveEmbeddings(gateway.database, 'old@16', [
    { tenantId: DEFAULT_TENANT_ID, memoryId: saved.id, content: 'The user sails.', vector },
  ]);
  await gateway.database.query('update memories set embedding_pending_since = null');
  expect(await count()).toMatchObject({
    in_use: 'old@16',
    building: [],
    model: 'old@16',
    memories_to_embed: 1,
    document_parts: 0,
    characters_to_embed: 'The user rows.'.length,
  });
  expect(await count('?model=new@16')).toMatchObject({
    in_use: 'old@16',
    model: 'new@16',
    memories_to_embed: 2,
  });

  const backfill = await gateway.call('POST', '/v1/vectors/backfill');
  expect([backfill.status, backfill.body]).toEqual([202, { found: 1 }]);
  expect((await gateway.call('POST', '/v1/vectors/backfill')).body).toEqual({ found: 0 });

  const rebuild = await gateway.call('POST', '/v1/vectors/rebuild');
  expect([rebuild.status, rebuild.body]).toEqual([202, { model: 'new@16', state: 'building' }]);
  expect(await count()).toMatchObject({ in_use: 'old@16', building: [{ model: 'new@16' }], model: 'new@16' });

  // The configured model is being built, so only what is retired goes.
  expect((await gateway.call('DELETE', '/v1/vectors')).body).toEqual({ deleted: [], more: false });
  await gateway.database.query(`update embedding_models set state = 'retired' where id = 'old@16'`);
  expect((await gateway.call('DELETE', '/v1/vectors')).body).toEqual({
    deleted: [{ model: 'old@16', vectors: 1 }],
    more: false,
  });
  expect((await gateway.database.query('select from memory_embeddings')).rowCount).toBe(0);
});

test('a retired model that is configured again is built again; a build of another model is deleted', async () => {
  await gateway.database.query(
    `update embedding_models set state = case id when 'new@16' then 'retired' else 'active' end`,
  );
  await gateway.database.query(`delete from embedding_builds`);
  expect((await gateway.call('POST', '/v1/vectors/rebuild')).body.state).toBe('building');
  await registerEmbeddingModel(gateway.database, 'other@16', 16);
  await beginEmbeddingBuild(gateway.database, 'other@16');
  await gateway.call('DELETE', '/v1/vectors');
  const { rows } = await gateway.database.query(
    `select id, state from embedding_models where id <> 'old@16' order by id`,
  );
  expect(rows).toEqual([
    { id: 'new@16', state: 'building' },
    { id: 'other@16', state: 'retired' },
  ]);
});

test('belong to operators, and need an embedding model', async () => {
  const key = await gateway.makeKey({ permissions: ['admin'] });
  expect((await gateway.call('POST', '/v1/vectors/rebuild', { key })).status).toBe(403);
  const without = await startGateway({ EMBEDDING_PROVIDER: 'none' });
  const answer = await without.call('POST', '/v1/vectors/rebuild');
  await without.close();
  expect([answer.status, answer.body.code]).toEqual([409, 'state_conflict']);
});
