import { z } from 'zod';
import { skippedSchema } from './conversations.ts';
import { extractionErrorSchema } from './extractions.ts';
import { booleanQuerySchema, jsonSchema, limitQuery, timestampSchema, userIdSchema } from './text.ts';

const kindSchema = z
  .enum(['daily', 'weekly'])
  .describe('`daily`: events become facts. `weekly`: knowledge is merged, the profile refreshed.');

const daySchema = z.iso.date({ error: 'must be a date such as 2026-05-10' });

export const startCompressionSchema = z.strictObject({
  user_id: userIdSchema.optional(),
  kind: kindSchema,
  date: daySchema.optional().describe('The last day to cover; yesterday when left out.'),
  dry_run: z.boolean().default(false).describe('Only propose; the answer of the run has what would change.'),
});

export const compressionSchema = z.object({
  id: z.uuid(),
  user_id: z.string(),
  kind: kindSchema,
  last_day: daySchema,
  dry_run: z.boolean(),
  state: z.enum(['pending', 'active', 'done', 'failed', 'proposed']),
  counts: z.record(z.string(), z.int()),
  error: extractionErrorSchema.nullable(),
  created_at: timestampSchema,
  finished_at: timestampSchema.nullable(),
});
export type Compression = z.infer<typeof compressionSchema>;

export const startedCompressionSchema = z.object({
  outcome: z
    .enum(['started', 'restarted', 'known', 'nothing'])
    .describe(
      '`restarted`: it had failed, and continues with the model replies that it already has. `known`: the period is done or under way. `nothing`: the user has no memories.',
    ),
  compression: compressionSchema.nullable(),
  user_id: z.string(),
  skipped: skippedSchema.optional(),
});
export type StartedCompression = z.infer<typeof startedCompressionSchema>;

export const listCompressionsQuerySchema = z.strictObject({
  user_id: userIdSchema.optional(),
  all_users: booleanQuerySchema.optional().describe('Of every user of the tenant; needs memory.read_all.'),
  limit: limitQuery(200, 50),
  cursor: z.string().max(512).optional(),
});

export const compressionDetailsSchema = compressionSchema.extend({
  decisions: z
    .array(z.record(z.string(), jsonSchema))
    .describe(
      'What it changed, or would change; empty while it has decided nothing, and after its texts are purged.',
    ),
  contents: z
    .record(z.string(), z.string())
    .describe('The texts of the memories that decisions name, by id.'),
});
export type CompressionDetails = z.infer<typeof compressionDetailsSchema>;
