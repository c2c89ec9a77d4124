import { openTestDatabase } from '@factmill/testkit/jest';
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { migrate } from '../migrate/migrate.ts';
import { createPool } from '../pool/create-pool.ts';
import { toHalfvec, toHalfvecs } from './binary.ts';

const { database: pool } = await openTestDatabase({ createPool, migrate }, { max: 1 });

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

test('Postgres receives a list of vectors, in their order and with gaps', async () => {
  const component = fc.double({ min: -2, max: 2, noNaN: true });
  const vector = fc.array(component, { minLength: 1, maxLength: 20 });
  await fc.assert(
    fc.asyncProperty(fc.array(fc.option(vector), { maxLength: 5 }), async (vectors) => {
      const { received } = await pool.one<{ received: (number[] | null)[] }>(
        `select coalesce(json_agg((v::vector)::real[]::float8[] order by place), '[]') as received
         from unnest($1::halfvec[]) with ordinality as t (v, place)`,
        [toHalfvecs(vectors)],
      );
      expect(received).toEqual(vectors.map((one) => one && Array.from(new Float16Array(one))));
    }),
    { numRuns: 50 },
  );
});
