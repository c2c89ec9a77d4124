import { randomUUID } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { createPool, migrate, registerEmbeddingModel } from '@factmill/database';
import { collectPlans, type Explained, explainEverything, partitionsIn } from '@factmill/testkit';
import { openPartitionedDatabase } from '@factmill/testkit/jest';
import { serve } from './day-of-a-user.fixture.ts';

// Statements that run as a user asks for something look into one partition: that of the tenant. Statements over the
// tenants belong to background work, and to the overall queue limit.

const { open } = await openPartitionedDatabase({ createPool, migrate });
const owner = open();
await registerEmbeddingModel(owner, 'tiny', 3);
const tenants = Array.from({ length: 8 }, () => randomUUID());
for (const tenantId of tenants) {
  await owner.query('insert into tenants (id, name) values ($1::uuid, $1::text)', [tenantId]);
}

/**
 * Words are found by keys that have the tenant in them, in the word index of each partition: its planner would otherwise
 * read all that the tenant has (memories_with_keys).
 */
const isByWords = (plan: Explained) => JSON.stringify(plan.Plan).includes('search_keys(');

describe.each(['force_generic_plan', 'force_custom_plan'])('%s', (mode) => {
  test.each([0, 1, 2])(
    'each statement that serves a user looks into one partition (tenant %s)',
    async (nth) => {
      await explainEverything(owner, mode);
      const sql = open();
      const plans = collectPlans(sql);
      const tenantId = tenants[nth] ?? '';
      await serve(sql, tenantId);
      expect(plans.length).toBeGreaterThan(100);
      const direct = plans.filter((plan) => !isByWords(plan));
      const several = direct.filter((plan) => partitionsIn(plan).size > 1);
      expect(several.map((plan) => plan['Query Text'])).toEqual([]);
      const touched = new Set(direct.flatMap((plan) => [...partitionsIn(plan)]));
      expect([...touched]).toHaveLength(1);
    },
  );
});
