import { statisticsSchema } from '@factmill/contracts';
import { DEFAULT_TENANT_ID, refuseVector, registerEmbeddingModel, saveEmbeddings } from '@factmill/database';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type GatewayUnderTest, said, startGateway } from '../gateway.fixture.ts';

let gateway: GatewayUnderTest;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(async () => {
  await gateway.close();
});

async function statisticsOf(user: string, key?: string) {
  const answer = await gateway.call('GET', `/v1/stats?user_id=${user}`, key === undefined ? {} : { key });
  expect(answer.status).toBe(200);
  return statisticsSchema.parse(answer.body);
}

test('counts what there is of a user, in every state', async () => {
  const save = (body: object) => gateway.call('POST', '/v1/memories', { body: { user_id: 'ada', ...body } });
  await save({ key: 'home', value: 'Delft', category: 'identity', tier: 1 });
  await save({ key: 'home', value: 'Utrecht', category: 'identity', tier: 1 });
  await save({ content: 'Ada owns a boat.', category: 'things' });
  await save({ question: 'Which tea?', answer: 'Oolong.' });
  await save({ content: 'Gone by now.', expires_in_days: 1 });
  const { body: unwanted } = await save({ content: 'Unwanted.' });
  await gateway.call('DELETE', `/v1/memories/${unwanted.id}?user_id=ada`);
  await gateway.database.query(`update memories set archived_at = now() where content = 'Ada owns a boat.'`);
  await gateway.database.query(`update memories set expires_at = now() where content = 'Gone by now.'`);
  await gateway.database.query(`update memories set source = 'own_words' where kind = 'qa'`);
  await gateway.call('POST', '/v1/conversations/c1/messages', {
    body: { user_id: 'ada', messages: [said('One.'), said('Two.')], extract: 'now' },
  });
  expect(await statisticsOf('ada')).toMatchObject({
    memories: {
      current: 2,
      expired: 1,
      archived: 1,
      superseded: 1,
      deleted: 1,
      by_tier: { '1': 1, '2': 1, '3': 0 },
      by_kind: { fact: 1, qa: 1, note: 0, event: 0 },
      by_category: { identity: 1, general: 1 },
      own_words: 1,
      without_vector: 2,
    },
    conversations: { total: 1, messages: 2, messages_not_extracted: 2 },
    extractions: {
      by_state: { pending: 1, done: 0 },
      last_finished_at: null,
      oldest_waiting_at: expect.any(String),
    },
  });
});

test('a vector that was lost, or is one of an older text, is missing; one that the model refuses is not', async () => {
  const { database } = gateway;
  const contents = ['Bo sails.', 'Bo sings.', 'Bo reads.', 'Bo knits.'];
  const ids = new Map<string, string>();
  for (const content of contents) {
    const { body } = await gateway.call('POST', '/v1/memories', { body: { user_id: 'bo', content } });
    ids.set(content, body.id);
  }
  const missing = async () => (await statisticsOf('bo')).memories.without_vector;
  expect(await missing()).toBe(4);
  await registerEmbeddingModel(database, 'small', 2);
  expect(await missing()).toBe(4);
  const idOf = (content: string) => ids.get(content) ?? '';
  const embeddings = contents.map((content) => ({
    tenantId: DEFAULT_TENANT_ID,
    memoryId: idOf(content),
    content,
    vector: [0.6, 0.8],
  }));
  expect(await saveEmbeddings(database, 'small', embeddings)).toBe(4);
  expect(await missing()).toBe(0);
  await database.query('delete from memory_embeddings where memory_id = any($1::uuid[])', [
    [idOf('Bo sails.'), idOf('Bo sings.')],
  ]);
  expect(await missing()).toBe(2);
  await refuseVector(database, 'small', 'memories', { tenantId: DEFAULT_TENANT_ID, id: idOf('Bo sings.') });
  expect(await missing()).toBe(1);
  await database.query(`update memory_embeddings set content_hash = 'old' where memory_id = $1::uuid`, [
    idOf('Bo reads.'),
  ]);
  expect(await missing()).toBe(2);
});

test('reveals nothing of other users and tenants, and counts nothing for the unknown user', async () => {
  const theirs = await gateway.makeKey({ tenant: 'theirs' });
  await gateway.call('POST', '/v1/memories', { body: { user_id: 'eve', content: 'Eve sails.' } });
  expect((await statisticsOf('eve')).memories.current).toBe(1);
  expect((await statisticsOf('eve', theirs)).memories.current).toBe(0);
  expect((await statisticsOf('someone')).conversations.total).toBe(0);
  const nobody = await gateway.call('GET', '/v1/stats?user_id=unknown');
  expect(nobody.body).toMatchObject({ skipped: { reason: 'unknown_user' }, memories: { current: 0 } });
});
