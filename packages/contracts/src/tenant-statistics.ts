import { z } from 'zod';
import { timestampSchema } from './text.ts';
import { budgetStateSchema } from './usage.ts';

const count = z.int().min(0);

/** Each number of a tenant's statistics is counted up to this. */
export const MAX_COUNTED_OF_TENANT = 100_000;

export const tenantStatisticsSchema = z.object({
  users: count,
  conversations: count,
  memories: count.describe('What search can find.'),
  documents: count,
  extractions: z.object({
    pending: count,
    active: count,
    deferred: count.describe('Of the pending ones, those that wait because a budget is used up.'),
    oldest_waiting_at: timestampSchema
      .nullable()
      .describe('When the oldest pending one was accepted, but for deferred ones.'),
  }),
  at_least: z
    .array(z.string())
    .describe(
      `Names of the numbers that are not counted to their end, as they reach ${MAX_COUNTED_OF_TENANT}.`,
    ),
  providers_down: z
    .array(
      z.object({
        kind: z.string().describe('What it is asked for, such as `llm`.'),
        reason: z.string().nullable(),
        since: timestampSchema,
        next_probe_at: timestampSchema,
      }),
    )
    .describe('Providers of models whose breaker is open, for all tenants alike.'),
  budgets: z
    .array(budgetStateSchema)
    .optional()
    .describe('With what is spent of them in the present period; for keys with `admin`.'),
});
export type TenantStatistics = z.infer<typeof tenantStatisticsSchema>;
