import { createHash } from 'node:crypto';
import { erasureSchema } from '@factmill/contracts';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type GatewayUnderTest, startGateway } from '../gateway.fixture.ts';

let gateway: GatewayUnderTest;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.close());

const remember = (user_id: string, key?: string) =>
  gateway.call('POST', '/v1/memories', {
    body: { user_id, content: 'Collects stamps.' },
    ...(key && { key }),
  });

test('an erasure is asked for once, queued, and has a receipt that names nobody', async () => {
  await remember('ada');
  const asked = await gateway.call('DELETE', '/v1/users/ada');
  expect(asked.status).toBe(202);
  const receipt = erasureSchema.parse(asked.body);
  expect(receipt).toMatchObject({ state: 'pending', finished_at: null, counts: {} });
  expect(receipt.user_sha256).toBe(createHash('sha256').update(`${receipt.id} ada`).digest('hex'));
  expect(asked.text).not.toContain('ada"');
  expect((await gateway.call('DELETE', '/v1/users/ada')).body).toEqual(asked.body);
  expect((await gateway.call('GET', `/v1/erasures/${receipt.id}`)).body).toEqual(asked.body);
  expect(await gateway.queues.missing('erase', [`erase-${receipt.id}`])).toEqual([]);
});

test('a user of whom there is nothing is named as such, also where another tenant has them', async () => {
  await remember('ben');
  const key = await gateway.makeKey({ tenant: 'elsewhere', permissions: ['admin'], name: 'elsewhere' });
  for (const [user, by] of [
    ['bne', undefined],
    ['unknown', undefined],
    ['ben', key],
  ] as const) {
    const { status, body } = await gateway.call(
      'DELETE',
      `/v1/users/${user}`,
      by === undefined ? {} : { key: by },
    );
    expect([user, status, body.code]).toEqual([user, 404, 'not_found']);
    expect(body.detail).toContain('Check its spelling');
  }
  const { body: receipt } = await gateway.call('DELETE', '/v1/users/ben');
  expect((await gateway.call('GET', `/v1/erasures/${receipt.id}`, { key })).status).toBe(404);
  expect((await gateway.call('GET', '/v1/erasures/none')).status).toBe(400);
});

test('an id is taken as it is, with every character that a user may have', async () => {
  await remember('ü/../b%2F c');
  const { status, body } = await gateway.call('DELETE', `/v1/users/${encodeURIComponent('ü/../b%2F c')}`);
  expect([status, body.state]).toEqual([202, 'pending']);
});
