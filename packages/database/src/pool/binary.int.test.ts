import { afterAll, beforeAll, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { createTestDatabase, type TestDatabase } from '@factmill/testkit';
import { migrate } from '../migrate/migrate.ts';
import { createPool } from '../pool/create-pool.ts';
import type { DatabasePool } from '../pool/sql.ts';
import { toHalfvec } from './binary.ts';

const quiet = { info: () => undefined, warn: () => undefined };

let database: TestDatabase;
let pool: DatabasePool;

beforeAll(async () => {
  database = await createTestDatabase({ migrate: (url) => migrate(url, { logger: quiet }) });
  const { connectionString } = database;
  pool = createPool({ connectionString, max: 1, applicationName: 'factmill-test', logger: quiet });
});

afterAll(async () => {
  await pool.close();
  await database.drop();
});

test('Postgres receives the numbers of a vector, each as near as 11 bits are', async () => {
  const component = fc.double({ min: -2, max: 2, noNaN: true });
  await fc.assert(
    fc.asyncProperty(fc.array(component, { minLength: 1, maxLength: 50 }), async (vector) => {
      const { received } = await pool.one<{ received: number[] }>(
        'select ($1::halfvec)::vector::real[]::float8[] as received',
        [toHalfvec(vector)],
      );
      expect(received).toEqual(Array.from(new Float16Array(vector)));
    }),
    { numRuns: 50 },
  );
});
