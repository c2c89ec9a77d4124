import { afterAll, beforeAll, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { createTestDatabase, type TestDatabase } from '@factmill/testkit';
import { createPool, type DatabasePool, migrate } from '@factmill/database';
import { toUuids, uuidAt } from './uuids.ts';

const quiet = { info: () => undefined, warn: () => undefined };

let database: TestDatabase;
let pool: DatabasePool;

beforeAll(async () => {
  database = await createTestDatabase({ migrate: (url, how) => migrate(url, { logger: quiet, ...how }) });
  const { connectionString } = database;
  pool = createPool({ connectionString, max: 1, applicationName: 'factmill-test', logger: quiet });
});

afterAll(async () => {
  await pool.close();
  await database.drop();
});

test('Postgres receives ids', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.uuid(), { maxLength: 20 }), async (given) => {
      const ids = Buffer.from(given.join('').replaceAll('-', ''), 'hex');
      const { received } = await pool.one<{ received: string[] }>('select $1::uuid[]::text[] as received', [
        toUuids(ids),
      ]);
      expect(received).toEqual(given);
      expect(given.map((_, index) => uuidAt(ids, index))).toEqual(given);
    }),
    { numRuns: 50 },
  );
});
