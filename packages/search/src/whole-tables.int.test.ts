import { afterAll, expect, test } from '@jest/globals';
import { asTenant, createPool, DEFAULT_TENANT_ID, migrate, registerEmbeddingModel } from '@factmill/database';
import { collectPlans, explainEverything, wholeTablesIn, createTestDatabase } from '@factmill/testkit';
import { serve } from './day-of-a-user.fixture.ts';

// A policy lets an index find rows by a plain value, and not by one that a function which might leak has computed from
// another row: such a statement reads its whole table for every request, and only where policies apply.

const pool = {
  max: 1,
  applicationName: 'factmill-test',
  logger: { info: () => undefined, warn: () => undefined },
};
const own = await createTestDatabase({ migrate: (url, how) => migrate(url, { ...pool, ...how }) });
const owner = createPool({ ...pool, connectionString: own.connectionString });
await registerEmbeddingModel(owner, 'tiny', 3);
// Where an index can be used it is, however small the table.
await explainEverything(owner, 'force_generic_plan', ['enable_seqscan = off']);
afterAll(async () => {
  await owner.close();
  await own.drop();
});

/** Tables of a few rows, which are not of tenants or users. */
const SMALL = new Set(['compression_periods', 'event_clock']);

test.each(['tenant', 'system'] as const)(
  'under the policies no statement that serves a user reads a whole table (as %s)',
  async (who) => {
    const service = createPool({ ...pool, connectionString: own.serviceUrl, rowSecurity: 'always' });
    const plans = collectPlans(service);
    await asTenant(DEFAULT_TENANT_ID, () => serve(service.as(who), DEFAULT_TENANT_ID));
    await service.close();
    expect(plans.length).toBeGreaterThan(100);
    const whole = plans.map(
      (plan) => [wholeTablesIn(plan).filter((table) => !SMALL.has(table)), plan] as const,
    );
    expect(
      whole.filter(([tables]) => tables.length > 0).map(([tables, plan]) => [tables, plan['Query Text']]),
    ).toEqual([]);
  },
);
