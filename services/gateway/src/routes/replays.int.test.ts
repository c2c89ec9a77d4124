import { listSchema, replayDiffSchema, replaySchema } from '@factmill/contracts';
import { createShadowStore, DEFAULT_TENANT_ID as TENANT } from '@factmill/database';
import { newMemory } from '@factmill/testkit';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { fieldsOf, type GatewayUnderTest, startGateway } from '../gateway.fixture.ts';

let gateway: GatewayUnderTest;
beforeAll(async () => {
  gateway = await startGateway({
    LLM_BASE_URL: 'http://127.0.0.1:9/v1',
    LLM_MODEL: 'configured',
    MODEL_PRICES: '{"configured": {"input": 1000, "output": 1000}}',
  });
  for (const [user_id, paid] of [
    ['maya', true],
    ['maya', false],
    ['noah', false],
  ] as const) {
    const { body } = await gateway.call('POST', '/v1/extractions', {
      body: { user_id, messages: [{ role: 'user', content: 'I live in Lisbon.' }] },
    });
    await gateway.database.query(
      `update extractions set state = 'done', prompt_tokens = $2::integer, completion_tokens = $3::integer
       where id = $1::uuid`,
      [body.id, paid ? 3_000 : null, paid ? 100 : null],
    );
  }
});
afterAll(() => gateway.close());

async function start(body: object, status = 202) {
  const answer = await gateway.call('POST', '/v1/replays', { body });
  expect([answer.status, answer.body]).toEqual([status, expect.anything()]);
  return replaySchema.parse(answer.body);
}

test('a dry run estimates, by what was paid for the same extractions, and begins nothing', async () => {
  const dry = await start({ user_id: 'maya', preset: 'standard', dry_run: true }, 200);
  const { estimate } = dry;
  expect(dry).toMatchObject({ id: null, state: 'estimated', user_id: 'maya' });
  expect(estimate).toMatchObject({
    extractions: 2,
    users: 1,
    messages: 2,
    model: 'configured',
    model_calls: 2,
  });
  expect(estimate.prompt_tokens).toBeGreaterThan(3_000);
  expect(estimate.cost).toBeCloseTo((estimate.prompt_tokens + estimate.completion_tokens) / 1_000);
  const everybody = await start({ all_users: true, model: 'extractive', dry_run: true }, 200);
  expect(everybody.estimate).toMatchObject({ extractions: 3, users: 2, model_calls: 0, cost: 0 });
  const later = await start({ all_users: true, since: '2100-01-01T00:00:00Z', dry_run: true }, 200);
  expect(later.estimate.extractions).toBe(0);
  const other = await start({ user_id: 'maya', model: 'dear', dry_run: true }, 200);
  expect(other.estimate).toMatchObject({ model: 'dear', cost: null });
  expect((await gateway.call('GET', '/v1/replays')).body.data).toEqual([]);
});

test.each([
  [{ preset: 'nonesuch' }, 'preset'],
  [{ prompt: 'x' }, 'preset'],
  [{ preset: 'standard', prompt: '<!-- system -->\na\n<!-- user -->\n{{NONESUCH}}' }, 'prompt'],
  [{ preset: 'standard', prompt: '{{TRANSCRIPT}}', model: 'extractive' }, 'prompt'],
  [{ since: 'yesterday' }, 'since'],
  [{ colour: 'red' }, 'colour'],
])('%j is refused for %s', async (body, field) => {
  const answer = await gateway.call('POST', '/v1/replays', { body: { user_id: 'maya', ...body } });
  expect([answer.status, answer.body.code, fieldsOf(answer)]).toEqual([400, 'invalid_request', [field]]);
  expect(answer.text).not.toContain('system');
});

describe('the life of a replay', () => {
  const states: string[] = [];
  const step = async (method: string, path: string, id: string | null) => {
    const answer = await gateway.call(method, `/v1/replays/${id}${path}`);
    states.push(`${answer.status} ${answer.body?.state ?? answer.body?.code ?? ''}`.trim());
    return answer;
  };

  test('it is compared, applied, undone, discarded and deleted, each in its time and on record', async () => {
    const { id } = await start({ user_id: 'maya', preset: 'standard' });
    await step('POST', '/apply', id);
    const shadow = { tenantId: TENANT, userId: 'maya', replayId: String(id) };
    const { rows } = await gateway.database.query<{ id: string; extraction: string }>(
      `update replay_runs set state = 'done' where replay_id = $1::uuid returning id, extraction_id as extraction`,
      [id],
    );
    for (const [index, { id: runId, extraction }] of rows.entries()) {
      const found = newMemory(TENANT, 'maya', `The user sails boat ${index}.`);
      const actor = { actor: 'replay', extractionId: extraction };
      await createShadowStore({ ...shadow, runId }).insert(gateway.database, [found], actor);
    }
    const page = replayDiffSchema.parse((await gateway.call('GET', `/v1/replays/${id}/diff?limit=1`)).body);
    expect(page).toMatchObject({
      counts: { added: 2, changed: 0, gone: 0, same: 0 },
      data: [{ change: 'added' }],
    });
    const rest = await gateway.call('GET', `/v1/replays/${id}/diff?cursor=${page.next_cursor}`);
    expect(
      [page.data[0], ...replayDiffSchema.parse(rest.body).data].map((item) => item?.after?.content),
    ).toEqual(expect.arrayContaining(['The user sails boat 0.', 'The user sails boat 1.']));
    const { headers, text } = await gateway.call('GET', `/v1/replays/${id}/diff?format=text`);
    expect(headers.get('content-type')).toContain('text/plain');
    expect(text).toMatch(/^2 added, 0 changed, 0 gone, 0 same\n\n\+ \[note general\] The user sails boat/);
    await step('GET', '', id);
    await step('POST', '/undo', id);
    await step('POST', '/apply', id);
    await step('DELETE', '', id);
    await gateway.database.query(`update replay_runs set state = 'done' where replay_id = $1::uuid`, [id]);
    await step('POST', '/discard', id);
    await step('POST', '/undo', id);

    const other = await start({ user_id: 'maya' });
    await step('POST', '/discard', other.id);
    const { body } = await gateway.call('GET', '/v1/replays?user_id=maya');
    expect(
      listSchema(replaySchema)
        .parse(body)
        .data.map(({ state }) => state),
    ).toEqual(['discarded', 'undoing']);
    await step('DELETE', '', other.id);
    await step('GET', '', other.id);
    expect(states).toEqual([
      '409 state_conflict',
      '200 done',
      '409 state_conflict',
      '202 applying',
      '409 state_conflict',
      '409 state_conflict',
      '202 undoing',
      '200 discarded',
      '204',
      '404 not_found',
    ]);
    const audit = await gateway.call('GET', '/v1/audit?limit=6');
    expect(audit.body.data.map(({ action }: { action: string }) => action)).toEqual([
      'replay.deleted',
      'replay.discarded',
      'replay.started',
      'replay.undone',
      'replay.applied',
      'replay.started',
    ]);
    expect(JSON.stringify(audit.body.data)).not.toMatch(/maya|sails/);
  });
});
