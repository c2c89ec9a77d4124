import { z } from 'zod';
import { messagesInputSchema, partIdsSchema, skippedSchema } from './conversations.ts';
import { extractionStateSchema } from './extraction-state.ts';
import { presetNameSchema } from './preset-name.ts';
import {
  booleanQuerySchema,
  externalIdSchema,
  limitQuery,
  metadataInputSchema,
  metadataSchema,
  timestampSchema,
  userIdSchema,
} from './text.ts';

export const createExtractionSchema = z.strictObject({
  messages: messagesInputSchema,
  user_id: userIdSchema.optional(),
  conversation_id: externalIdSchema.optional(),
  preset: presetNameSchema.optional(),
  metadata: metadataInputSchema.optional(),
});

export const acceptedExtractionSchema = z.object({
  id: z.uuid().nullable(),
  state: extractionStateSchema,
  part_ids: partIdsSchema.optional(),
  status_url: z.string().nullable(),
  conversation_id: z.string().nullable(),
  user_id: z.string(),
  skipped: skippedSchema.optional(),
});
export type AcceptedExtraction = z.infer<typeof acceptedExtractionSchema>;

/** What went wrong, as the ledger has it. Never contains text of a conversation or of a model. */
export const extractionErrorSchema = z.object({ class: z.string(), message: z.string() });

export const extractionSchema = z.object({
  id: z.uuid(),
  state: extractionStateSchema,
  user_id: z.string(),
  conversation_id: z.string(),
  trigger: z.string(),
  first_seq: z.int().describe('Its messages: from this `seq` of the conversation,'),
  last_seq: z.int().describe('up to this one.'),
  preset: z.string(),
  attempts: z.int(),
  reason: z
    .string()
    .nullable()
    .describe(
      'Why it was dropped, skipped or deferred: `budget_tokens_day`, for example, when that budget is used up.',
    ),
  deferred_until: timestampSchema
    .nullable()
    .describe(
      'Until when it waits because a budget is used up; it goes on at once when the budget is raised.',
    ),
  counts: z.object({
    added: z.int(),
    updated: z.int(),
    deleted: z.int(),
    unchanged: z.int(),
    rejected: z.int(),
  }),
  rejections: z
    .record(z.string(), z.int())
    .optional()
    .describe('Why items of the reply were not stored: reason and how many.'),
  memory_ids: z.array(z.uuid()),
  degraded: z.string().optional(),
  error: extractionErrorSchema.optional(),
  timings: z.object({
    accepted_at: timestampSchema,
    started_at: timestampSchema.nullable(),
    finished_at: timestampSchema.nullable(),
    next_attempt_at: timestampSchema.nullable(),
    queued_ms: z.int().nullable(),
    model_ms: z.int().nullable(),
    embed_ms: z.int().nullable(),
    apply_ms: z.int().nullable(),
    total_ms: z.int().nullable(),
  }),
  usage: z.object({
    model: z.string().nullable(),
    model_calls: z.int(),
    prompt_tokens: z.int().nullable(),
    completion_tokens: z.int().nullable(),
  }),
  metadata: metadataSchema,
});
export type Extraction = z.infer<typeof extractionSchema>;

/** A word of ours, such as a reason. */
const codeSchema = z.string().regex(/^\w{1,64}$/, 'must be a word such as queue_limit');
const ALL_USERS = 'Of every user of the tenant; needs memory.read_all.';

export const listExtractionsQuerySchema = z.strictObject({
  state: extractionStateSchema.optional(),
  reason: codeSchema.optional(),
  error_class: codeSchema.optional().describe('The class of `error`, such as `bad_reply`.'),
  trigger: codeSchema.optional(),
  user_id: userIdSchema.optional(),
  conversation_id: externalIdSchema.optional(),
  all_users: booleanQuerySchema.optional().describe(ALL_USERS),
  since: timestampSchema.optional(),
  until: timestampSchema.optional(),
  limit: limitQuery(200, 50),
  cursor: z.string().max(512).optional(),
});

export const replayExtractionsSchema = z.strictObject({
  state: z.enum(['failed', 'dropped', 'skipped', 'done']).default('failed'),
  user_id: userIdSchema.optional(),
  all_users: z.boolean().optional().describe(ALL_USERS),
  since: timestampSchema.optional(),
  until: timestampSchema.optional(),
});

export const replayedSchema = z.object({ replayed: z.int(), ids: z.array(z.uuid()) });
