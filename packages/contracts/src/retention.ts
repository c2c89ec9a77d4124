import { z } from 'zod';
import { limitQuery, timestampSchema, userIdSchema, uuidSchema } from './text.ts';

const daysSchema = z.int().min(1).max(36_500).nullable();

export const retentionDaysSchema = z.object({
  messages_days: daysSchema.describe(
    'Texts of messages, from when they were received. Their ids, roles and times stay, for the provenance of memories.',
  ),
  outputs_days: daysSchema.describe('Raw answers of models to extractions, and shadow replays.'),
  versions_days: daysSchema.describe('Replaced versions of memories.'),
  events_days: daysSchema.describe(
    'Events that were told or could be read. Null: as long as the installation keeps them, which is also the longest.',
  ),
  audit_days: daysSchema.describe('Audit records, always the oldest ones together.'),
});
export type RetentionDays = z.infer<typeof retentionDaysSchema>;

/** Fields that are left out stay as they are; null keeps things for good. */
export const patchRetentionSchema = z
  .strictObject(retentionDaysSchema.partial().shape)
  .refine((changes) => Object.keys(changes).length > 0, { error: 'must name what is to be changed' });

export const startRetentionSchema = z.strictObject({
  dry_run: z.boolean().default(false).describe('Only count, and remove nothing.'),
});

/** What a run removes, in its order; also the names of its counts. */
export const RETAINED = ['messages', 'outputs', 'replays', 'versions', 'events', 'audit_records'] as const;
export type Retained = (typeof RETAINED)[number];

export const retentionRunSchema = z.object({
  id: uuidSchema.nullable().describe('Null for a dry run.'),
  dry_run: z.boolean(),
  state: z.enum(['pending', 'done']),
  requested_at: timestampSchema,
  finished_at: timestampSchema.nullable(),
  counts: z.partialRecord(z.enum(RETAINED), z.int().min(0)).describe('Removed so far, or to be removed.'),
});
export type RetentionRun = z.infer<typeof retentionRunSchema>;

const pageSchema = z.strictObject({
  limit: limitQuery(200, 50),
  cursor: z.string().max(512).optional(),
});
export const listRetentionRunsQuerySchema = pageSchema;
export const listLegalHoldsQuerySchema = pageSchema;

export const placeLegalHoldSchema = z.strictObject({
  user_id: userIdSchema.optional().describe('Left out: everything of the tenant.'),
});
export const legalHoldSchema = z.object({
  id: uuidSchema,
  user_id: z.string().nullable().describe('Null: everything of the tenant.'),
  placed_at: timestampSchema,
});
export type LegalHold = z.infer<typeof legalHoldSchema>;
