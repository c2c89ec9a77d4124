import { z } from 'zod';
import { presetNameSchema } from './preset-name.ts';
import { budgetsSchema, budgetStateSchema } from './usage.ts';
import { limitQuery, nameSchema, timestampSchema, uuidSchema } from './text.ts';

const perSecond = z.int().min(0).max(1_000_000);

/** In place of RATE_LIMIT_KEY and RATE_LIMIT_TENANT. */
const limitsSchema = z.strictObject({
  key_per_second: perSecond.optional(),
  tenant_per_second: perSecond.optional(),
});

export const tenantSchema = z.object({
  id: uuidSchema,
  name: z.string(),
  created_at: timestampSchema,
  default_preset: presetNameSchema.nullable().describe('Null: that of the deployment.'),
  budgets: z.array(budgetStateSchema).describe('With what is spent of them in the present period.'),
  limits: limitsSchema.describe(
    'Points a second where they differ from those of the deployment; 0: no limit.',
  ),
});
export type Tenant = z.infer<typeof tenantSchema>;

export const listTenantsQuerySchema = z.strictObject({
  limit: limitQuery(200, 50),
  cursor: z.string().max(1_024).optional(),
});

const given = {
  default_preset: presetNameSchema
    .nullish()
    .describe('Counts where nothing nearer has a preset. Null: that of the deployment.'),
  limits: z
    .strictObject({ key_per_second: perSecond.nullish(), tenant_per_second: perSecond.nullish() })
    .optional()
    .describe('Points a second of each key and of all keys together; 0: no limit; null: as the deployment.'),
  budgets: budgetsSchema.optional(),
};

export const createTenantSchema = z.strictObject({ name: nameSchema, ...given });
export const patchTenantSchema = z.strictObject({ name: nameSchema.optional(), ...given });
export type PatchTenant = z.input<typeof patchTenantSchema>;
