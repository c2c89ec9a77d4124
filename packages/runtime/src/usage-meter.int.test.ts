import { createPool, DEFAULT_TENANT_ID, migrate } from '@factmill/database';
import { waitFor } from '@factmill/testkit';
import { openTestDatabase } from '@factmill/testkit/jest';
import { expect, test } from '@jest/globals';
import { createLogger } from '@factmill/telemetry';
import { Writable } from 'node:stream';
import { createUsageMeter } from './usage-meter.ts';

const { database } = await openTestDatabase({ createPool, migrate }, { max: 2 });

test('counts every call by its day, however many wait while they cannot be stored', async () => {
  const USERS = 12_000;
  await database.query(
    `insert into users (tenant_id, user_id) select $1::uuid, 'user ' || n from generate_series(1, $2::integer) n`,
    [DEFAULT_TENANT_ID, USERS],
  );
  // What is spent is kept where there is a budget.
  await database.query(
    "insert into budgets (tenant_id, period, unit, amount) values ($1::uuid, 'day', 'cost', 1)",
    [DEFAULT_TENANT_ID],
  );
  let failures = 0;
  const destination = new Writable({
    write(_line, _encoding, done) {
      failures += 1;
      done();
    },
  });
  let today = new Date('2026-03-31T23:59:59Z');
  const meter = createUsageMeter({
    database,
    prices: {},
    logger: createLogger({ service: 'test', level: 'debug', destination }),
    intervalMs: 50,
    now: () => today,
  });
  const call = { model: 'm', purpose: 'embedding', inputTokens: 2, outputTokens: 0 } as const;
  await database.query('alter table usage rename to usage_elsewhere');
  for (let round = 0; round < 3; round += 1) {
    if (round === 2) today = new Date('2026-04-01T00:00:00Z');
    for (let n = 1; n <= USERS; n += 1) {
      meter.recordLater(DEFAULT_TENANT_ID, { ...call, userId: `user ${n}` });
    }
    const before = failures;
    await waitFor(() => failures > before, { describe: 'counting to fail' });
  }
  await database.query('alter table usage_elsewhere rename to usage');
  await meter.close();

  const { rows } = await database.query(
    `select day::text, count(*)::integer as users, sum(calls)::integer as calls, sum(input_tokens)::integer as tokens
     from usage where user_id <> '' group by day order by day`,
  );
  expect(rows).toEqual([
    { day: '2026-03-31', users: USERS, calls: 2 * USERS, tokens: 4 * USERS },
    { day: '2026-04-01', users: USERS, calls: USERS, tokens: 2 * USERS },
  ]);
  const spent = await database.query(
    'select day::text, tokens::integer from spending where tenant_id = $1::uuid order by day',
    [DEFAULT_TENANT_ID],
  );
  expect(spent.rows).toEqual([
    { day: '2026-03-31', tokens: 4 * USERS },
    { day: '2026-04-01', tokens: 2 * USERS },
  ]);
});
