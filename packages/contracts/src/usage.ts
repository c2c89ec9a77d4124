import { z } from 'zod';
import { boundedArray } from './bounded-array.ts';
import { limitQuery, userIdSchema, uuidSchema } from './text.ts';

/** What models are called for. */
export const usagePurposeSchema = z.enum([
  'extraction',
  'reconcile',
  'summary',
  'compression',
  'replay',
  'embedding',
  'rerank',
  'chat',
]);
export type UsagePurpose = z.infer<typeof usagePurposeSchema>;

export const budgetSchema = z.strictObject({
  period: z.enum(['day', 'month']).describe('Of the calendar, in UTC.'),
  unit: z.enum(['tokens', 'cost']).describe('`cost` is in the unit of MODEL_PRICES.'),
  amount: z.number().min(0).max(1e15).describe('0: nothing may be spent.'),
});
export type Budget = z.infer<typeof budgetSchema>;

export const budgetStateSchema = budgetSchema.extend({
  spent: z.number().min(0),
  resets_at: z.string(),
});

export const budgetsSchema = boundedArray(budgetSchema)
  .max(4)
  .refine(
    (budgets) => new Set(budgets.map(({ period, unit }) => `${period} ${unit}`)).size === budgets.length,
    {
      error: 'must have one amount for each period and unit',
    },
  )
  .describe(
    'How much work with models the tenant may cause. Over it, extractions wait for the next period, or until the budget is raised. These replace all that there were.',
  );

const DIMENSIONS = ['tenant', 'day', 'user', 'model', 'purpose'] as const;
export type UsageDimension = (typeof DIMENSIONS)[number];

/** The dimensions of `group_by`, each once, in the order in which they are named. */
export function usageDimensionsOf(list: string): UsageDimension[] {
  const named = list.split(',');
  return DIMENSIONS.filter((name) => named.includes(name)).sort(
    (a, b) => named.indexOf(a) - named.indexOf(b),
  );
}

const daySchema = z.iso.date({ error: 'must be a day such as 2026-11-21' });

export const usageQuerySchema = z.strictObject({
  since: daySchema.optional().describe('The first day (UTC).'),
  until: daySchema.optional().describe('The last day.'),
  user_id: userIdSchema.optional(),
  model: z.string().max(256).optional(),
  purpose: usagePurposeSchema.optional(),
  group_by: z
    .string()
    .regex(/^(?:tenant|day|user|model|purpose)(?:,(?:tenant|day|user|model|purpose)){0,4}$/, {
      error: `must be some of ${DIMENSIONS.join(', ')}, separated by commas`,
    })
    .default('day,model,purpose')
    .describe('Some of tenant, day, user, model and purpose, separated by commas.'),
  tenant_id: uuidSchema.optional().describe('Another tenant than the key’s; needs `operator`.'),
  all_tenants: z
    .enum(['true', 'false'])
    .optional()
    .describe('`true`: all tenants together, or by tenant; needs `operator`.'),
  limit: limitQuery(1_000, 200),
  cursor: z.string().max(512).optional(),
});

export const usageSchema = z.object({
  tenant_id: uuidSchema.optional(),
  day: z.string().optional(),
  user_id: z.string().nullable().optional().describe('Null: of nobody, or of somebody who was erased.'),
  model: z.string().optional(),
  purpose: usagePurposeSchema.optional(),
  calls: z.int(),
  input_tokens: z.int(),
  output_tokens: z.int(),
  cost: z
    .number()
    .nullable()
    .describe('In the unit of MODEL_PRICES; null when none of the models has a price.'),
});
export type Usage = z.infer<typeof usageSchema>;
