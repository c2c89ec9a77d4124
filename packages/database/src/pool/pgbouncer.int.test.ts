import { randomUUID } from 'node:crypto';
import { startPgbouncer } from '@factmill/testkit';
import { openTestDatabase } from '@factmill/testkit/jest';
import { beforeAll, expect, test } from '@jest/globals';
import { migrate } from '../migrate/migrate.ts';
import { createPool } from './create-pool.ts';
import type { Sql } from './sql.ts';
import { asTenant } from './tenant-scope.ts';

// PgBouncer in transaction mode gives each transaction another connection: five of them, for forty of this process. The
// version of Debian 12 (1.18) keeps no prepared statements.

const REQUESTS = 10_000;
const AT_ONCE = 40;

const { database: owner, serviceUrl, beforeClose } = await openTestDatabase({ createPool, migrate });
const pgbouncer = await startPgbouncer(serviceUrl, 5);
const service = createPool({
  connectionString: pgbouncer.url,
  max: AT_ONCE,
  applicationName: 'factmill-test',
  rowSecurity: 'always',
  preparedStatements: false,
  // A limit is kept by this process too: PgBouncer ignores what a connection asks of the server.
  statementTimeoutMs: 60_000,
  connectionTimeoutMs: 60_000,
  logger: { info: () => undefined, warn: () => undefined },
});
beforeClose(async () => {
  await service.close();
  await pgbouncer.stop();
});

const tenants = Array.from({ length: 50 }, () => randomUUID());
beforeAll(async () => {
  await owner.query('insert into tenants (id, name) select id, id::text from unnest($1::uuid[]) as id', [
    tenants,
  ]);
  await owner.query(
    `insert into conversations (tenant_id, id, user_id) select id, id::text, 'user' from unnest($1::uuid[]) as id`,
    [tenants],
  );
});

const read = (sql: Sql) => sql.query<{ id: string }>('select id from conversations', [], { name: 'read' });

test(`of ${REQUESTS} requests of fifty tenants, none sees a row of another`, async () => {
  const foreign: string[] = [];
  const visit = async (place: number) => {
    // Statements, transactions, and failures of both between them.
    if (place % 11 === 0) {
      const failing =
        place % 2 === 0
          ? service
          : {
              query: (text: string, values: unknown[]) => service.transaction((tx) => tx.query(text, values)),
            };
      await failing.query('select 1 / $1::integer', [0]).catch(() => undefined);
    }
    return place % 4 === 0 ? service.transaction(read) : read(service);
  };
  const walk = async (first: number) => {
    for (let place = first; place < REQUESTS; place += AT_ONCE) {
      const tenantId = tenants[(place * 7) % tenants.length] ?? '';
      const isOfNone = place % 50 === 49;
      const { rows } = await (isOfNone ? visit(place) : asTenant(tenantId, () => visit(place)));
      const expected = isOfNone ? [] : [tenantId];
      if (rows.map(({ id }) => id).join() !== expected.join())
        foreign.push(`${tenantId}: ${JSON.stringify(rows)}`);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, (_, first) => walk(first)));
  expect(foreign).toEqual([]);
  // They did share the connections.
  const { open } = await owner.one<{ open: number }>(
    `select count(*) as open from pg_stat_activity
     where datname = current_database() and application_name = 'factmill-test' and usename <> current_user`,
  );
  expect(open).toBeGreaterThan(1);
  expect(open).toBeLessThanOrEqual(5);
});
