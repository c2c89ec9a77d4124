import { auditRecordSchema, auditVerificationSchema } from '@factmill/contracts';
import { waitFor } from '@factmill/testkit';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { z } from 'zod';
import { type GatewayUnderTest, startGateway } from '../gateway.fixture.ts';

let gateway: GatewayUnderTest;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.close());

const WORD = 'quokka';
const USER = `maya-${WORD}`;

async function recorded(query = '') {
  const { body } = await gateway.call('GET', `/v1/audit?limit=200${query}`);
  return z.strictObject({ data: z.array(auditRecordSchema), next_cursor: z.null() }).parse(body).data;
}

/** Refusals are written after their answer. */
function waitForRecorded(count: number, query: string) {
  return waitFor(
    async () => {
      const records = await recorded(query);
      return records.length >= count ? records : undefined;
    },
    { timeoutMs: 15_000, describe: `${count} records` },
  );
}

test('says who did what to whom, in order, and nothing of what was said', async () => {
  const { call } = gateway;
  const asked = { headers: { 'x-request-id': '0199f3a0-0000-7000-8000-00000000000a' } };
  const { body: key } = await call('POST', '/v1/api-keys', {
    ...asked,
    body: { name: WORD, permissions: ['memory.read'] },
  });
  await call('DELETE', `/v1/api-keys/${key.id}`);
  await call('PUT', '/v1/settings/retry.interval_ms', { body: { value: 6_000 } });
  await call('DELETE', '/v1/settings/retry.interval_ms');
  const { body: memory } = await call('POST', '/v1/memories', { body: { user_id: USER, content: WORD } });
  await call('DELETE', `/v1/memories/${memory.id}`);
  await call('POST', `/v1/memories/${memory.id}/restore`);
  const items = [{ id: '1', content: `Keeps a ${WORD} at home.` }];
  for (const dry_run of [true, false, false]) {
    await call('POST', '/v1/memories/import', {
      body: { user_id: USER, source: 'elsewhere', items, dry_run },
    });
  }
  await call('POST', '/v1/memories/clear', { body: { user_id: USER, confirm: USER } });
  await call('DELETE', `/v1/users/${USER}`);
  await call('DELETE', `/v1/users/${USER}`);
  // What changes nothing is no record.
  await call('DELETE', `/v1/api-keys/${key.id}`);
  await call('POST', `/v1/memories/${memory.id}/restore?user_id=nobody`);

  const records = (await recorded()).reverse();
  expect(records.map(({ action, target_kind, target_id }) => [action, target_kind, target_id])).toEqual([
    ['api_key.created', 'api_key', key.id],
    ['api_key.revoked', 'api_key', key.id],
    ['setting.changed', 'setting', 'retry.interval_ms'],
    ['setting.changed', 'setting', 'retry.interval_ms'],
    ['memory.restored', 'memory', memory.id],
    ['memories.imported', 'user', expect.stringMatching(/^[0-9a-f]{64}$/)],
    ['memories.cleared', 'user', expect.stringMatching(/^[0-9a-f]{64}$/)],
    ['user.erasure_requested', 'erasure', expect.any(String)],
  ]);
  expect(records[0]).toMatchObject({
    actor: 'api',
    outcome: 'done',
    request_id: asked.headers['x-request-id'],
    fields: ['memory.read'],
  });
  const ofUser = await recorded(`&user_id=${USER}`);
  expect(ofUser.map(({ number }) => number)).toEqual([8, 7, 6, 5]);
  expect(JSON.stringify(records)).not.toContain(WORD);
  const verified = auditVerificationSchema.parse((await call('GET', '/v1/audit/verify')).body);
  expect(verified).toMatchObject({ intact: true, records: 8, problem: null });
  const { number, hash } = verified.last;
  const again = await call('GET', `/v1/audit/verify?number=${number}&hash=${hash}`);
  expect(again.body).toEqual(verified);
  expect((await call('GET', `/v1/audit/verify?number=1`)).status).toBe(400);
});

test('counts refusals, and reads of all users: a thousand of them are two records', async () => {
  const permissions = ['memory.read', 'memory.read_all'] as const;
  const key = await gateway.makeKey({ permissions: [...permissions] });
  const actor = `api-key:${key.split('_')[1]}`;
  const other = await gateway.another();
  for (let n = 0; n < 5; n += 1) {
    const path = `/v1/memories/clear`;
    const refused = await fetch(`${other.url}${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ confirm: WORD }),
    });
    expect(refused.status).toBe(403);
    const read = await fetch(`${other.url}/v1/memories?all_users=true`, {
      headers: { authorization: `Bearer ${key}` },
    });
    expect(read.status).toBe(200);
    await Promise.all([refused.text(), read.text()]);
  }
  await waitForRecorded(2, `&actor=${actor}`);
  await other.close();
  const records = await recorded(`&actor=${actor}`);
  expect(records).toHaveLength(4);
  const of = (action: string) => records.filter((record) => record.action === action);
  expect(of('permission.refused')).toEqual([
    expect.objectContaining({ outcome: 'refused', reason: 'forbidden', counts: { times: 4 } }),
    expect.objectContaining({ outcome: 'refused', target_id: 'POST /v1/memories/clear', counts: {} }),
  ]);
  expect(of('memories.read_all').map(({ counts }) => counts)).toEqual([{ times: 4 }, {}]);
  expect((await gateway.call('GET', '/v1/audit/verify')).body).toMatchObject({ intact: true });
});

test('is for keys with audit.read, each of its own tenant, by pages', async () => {
  const reader = await gateway.makeKey({ permissions: ['audit.read'] });
  const first = await gateway.call('GET', '/v1/audit?limit=2', { key: reader });
  expect(first.body.data).toHaveLength(2);
  const next = await gateway.call('GET', `/v1/audit?limit=2&cursor=${first.body.next_cursor}`, {
    key: reader,
  });
  expect(next.body.data[0].number).toBe(first.body.data[1].number - 1);
  const stranger = await gateway.makeKey({ tenant: 'elsewhere', permissions: ['admin'] });
  expect((await gateway.call('GET', '/v1/audit', { key: stranger })).body.data).toEqual([]);
  expect((await gateway.call('GET', '/v1/audit/verify', { key: stranger })).body).toMatchObject({
    intact: true,
    records: 0,
  });
  const application = await gateway.makeKey({});
  expect((await gateway.call('GET', '/v1/audit', { key: application })).status).toBe(403);
  const locked = { name: 'l', permissions: ['audit.read'], user_id: 'ada', user_locked: true };
  expect((await gateway.call('POST', '/v1/api-keys', { body: locked })).status).toBe(400);
});
