import { z } from 'zod';
import { boundedArray } from './bounded-array.ts';
import { skippedSchema } from './conversations.ts';
import {
  booleanQuerySchema,
  externalIdSchema,
  filledText,
  jsonSchema,
  limitQuery,
  MAX_MEMORIES_PER_BATCH,
  MAX_MEMORY_LENGTH,
  metadataInputSchema,
  metadataSchema,
  nameSchema,
  projectSchema,
  timestampSchema,
  userIdSchema,
} from './text.ts';

export const memoryKindSchema = z.enum(['fact', 'qa', 'note', 'event']);
export type MemoryKind = z.infer<typeof memoryKindSchema>;
/** Where a memory is in its life: see docs/development.md. */
export const memoryStateSchema = z.enum(['current', 'expired', 'superseded', 'archived', 'deleted']);
export type MemoryState = z.infer<typeof memoryStateSchema>;

/** The scope of what belongs to no conversation. */
export const GLOBAL_SCOPE = 'global';
/** As in the `scopes` of a search. */
export const memoryScopeSchema = externalIdSchema.describe(
  '`global` (the default), or the id of the conversation that the memory is kept for.',
);

export const DEFAULT_CATEGORY = 'general';

const categorySchema = nameSchema;
const keySchema = filledText(256);
const tagsSchema = boundedArray(nameSchema).max(64);
const bodyText = filledText(MAX_MEMORY_LENGTH);

const shared = {
  category: categorySchema.optional(),
  tags: tagsSchema.optional(),
  project: projectSchema.optional(),
  topic: nameSchema.optional(),
  tier: z.union([z.literal(1), z.literal(2), z.literal(3)]).optional(),
  importance: z.number().min(0).max(1).optional(),
  confidence: z.int().min(0).max(100).optional(),
  source: nameSchema.optional(),
  source_context: filledText(2_000).optional(),
  expires_at: timestampSchema.optional(),
  expires_in_days: z.number().positive().max(36_500).optional(),
  valid_from: timestampSchema.optional(),
  metadata: metadataInputSchema.optional(),
};

const oneForm = 'give either content, or key and value, or question and answer';

export const memoryInputSchema = z
  .strictObject({
    content: bodyText.optional(),
    key: keySchema.optional(),
    value: bodyText.optional(),
    question: bodyText.optional(),
    answer: bodyText.optional(),
    scope: memoryScopeSchema.optional(),
    ...shared,
  })
  .refine((input) => (input.key === undefined) === (input.value === undefined), {
    path: ['key'],
    error: 'key and value go together',
  })
  .refine((input) => (input.question === undefined) === (input.answer === undefined), {
    path: ['question'],
    error: 'question and answer go together',
  })
  .refine((input) => input.key === undefined || input.question === undefined, {
    path: ['key'],
    error: oneForm,
  })
  .refine((input) => input.content !== undefined || input.key !== undefined || input.question !== undefined, {
    path: ['content'],
    error: oneForm,
  })
  .refine((input) => input.expires_at === undefined || input.expires_in_days === undefined, {
    path: ['expires_at'],
    error: 'give expires_at or expires_in_days, not both',
  });
export type MemoryInput = z.infer<typeof memoryInputSchema>;

export const createMemorySchema = memoryInputSchema.safeExtend({ user_id: userIdSchema.optional() });

export const batchMemoriesSchema = z.strictObject({
  memories: boundedArray(memoryInputSchema.safeExtend({ user_id: userIdSchema.optional() }))
    .min(1)
    .max(MAX_MEMORIES_PER_BATCH),
  user_id: userIdSchema.optional(),
});

export const patchMemorySchema = z
  .strictObject({
    content: bodyText.optional(),
    value: bodyText.optional(),
    question: bodyText.optional(),
    answer: bodyText.optional(),
    ...shared,
    expires_at: timestampSchema.nullable().optional(),
    project: projectSchema.nullable().optional(),
    topic: nameSchema.nullable().optional(),
    user_id: userIdSchema.optional(),
  })
  .refine((input) => Object.keys(input).some((key) => key !== 'user_id'), {
    error: 'names no field to change',
  });
export type MemoryPatch = z.infer<typeof patchMemorySchema>;

export const memorySchema = z.object({
  id: z.uuid(),
  user_id: z.string(),
  tier: z.int(),
  kind: memoryKindSchema,
  category: z.string(),
  key: z.string().nullable(),
  value: z.string().nullable(),
  content: z.string(),
  question: z.string().nullable(),
  answer: z.string().nullable(),
  tags: z.array(z.string()),
  project: z.string().nullable(),
  topic: z.string().nullable(),
  importance: z.number(),
  confidence: z.int(),
  source: z.string(),
  source_context: z.string().nullable(),
  scope: memoryScopeSchema,
  channel: z
    .string()
    .nullable()
    .describe('Where it was said: the channel of its messages, when they have one and the same.'),
  sender: z.string().nullable().describe('Who said it: the sender of its messages, in the same way.'),
  event_date: z.iso.date().nullable().describe('Of an event: the day on which it was told, in TIME_ZONE.'),
  source_tokens: z
    .int()
    .nullable()
    .describe('Of an event: the estimated tokens of the messages that it was made from.'),
  created_at: timestampSchema,
  updated_at: timestampSchema,
  last_accessed_at: timestampSchema.nullable(),
  last_verified_at: timestampSchema
    .nullable()
    .describe('When it was stored, or last stated again: under its key, as an answer or in other words.'),
  access_count: z.int(),
  expires_at: timestampSchema.nullable(),
  valid_from: timestampSchema,
  valid_to: timestampSchema.nullable(),
  archived: z.boolean(),
  state: memoryStateSchema.describe(
    '`current` is what search can find; all others but `expired` can be restored.',
  ),
  superseded_by: z.uuid().nullable().describe('The memory that took its place, or that it was merged into.'),
  provenance: z.object({ extraction_id: z.uuid().nullable(), message_ids: z.array(z.string()) }),
  metadata: metadataSchema,
});
export type Memory = z.infer<typeof memorySchema>;

/** What happened to one memory of a batch. */
export const writeStatusSchema = z.enum(['created', 'updated', 'unchanged', 'skipped']);
export type WriteStatus = z.infer<typeof writeStatusSchema>;

export const batchResultSchema = z.object({
  results: z.array(z.object({ id: z.uuid().nullable(), status: writeStatusSchema })),
  skipped: skippedSchema.optional(),
});

/** The fields that a list can be sorted by. */
export const memorySortSchema = z.enum([
  'created_at',
  'updated_at',
  'importance',
  'category',
  'key',
  'value',
  'content',
  'question',
  'answer',
  'kind',
  'tier',
  'project',
  'topic',
  'confidence',
  'source',
  'source_context',
  'scope',
  'channel',
  'sender',
  'event_date',
  'source_tokens',
  'last_accessed_at',
  'last_verified_at',
  'access_count',
  'expires_at',
  'valid_from',
  'user_id',
  'id',
]);
export type MemorySort = z.infer<typeof memorySortSchema>;

/** How many characters of a text count in the order of a list: they are part of its cursors. */
export const SORTED_CHARACTERS = 100;
/** Longest cursor: so many characters, each six as an escape in JSON, in base64, and the rest of the position. */
const MAX_CURSOR_LENGTH = 1_024;

/** An offset reads and discards the rows that it skips; a cursor reads none of them. */
const MAX_OFFSET = 10_000;

export const listMemoriesQuerySchema = z
  .strictObject({
    user_id: userIdSchema.optional(),
    tag: nameSchema.optional(),
    category: categorySchema.optional(),
    key: keySchema.optional(),
    kind: memoryKindSchema.optional(),
    tier: z.coerce.number().int().min(1).max(3).optional(),
    project: projectSchema.optional(),
    scope: memoryScopeSchema.optional(),
    q: filledText(512).optional(),
    state: z
      .enum(['current', 'superseded', 'archived', 'deleted', 'all'])
      .default('current')
      .describe('`deleted`: not purged yet. `all`: expired ones too.'),
    sort_by: memorySortSchema
      .default('created_at')
      .describe(
        `Texts are compared by their first ${SORTED_CHARACTERS} characters, and nothing comes before something: no text, no project, never accessed. What never expires comes last. Any field but created_at reads all of the user’s memories.`,
      ),
    order: z.enum(['asc', 'desc']).default('desc'),
    limit: limitQuery(200, 50),
    offset: z.coerce
      .number()
      .int()
      .min(0)
      .max(MAX_OFFSET, `must be at most ${MAX_OFFSET}; use cursor to go further`)
      .optional(),
    cursor: z.string().max(MAX_CURSOR_LENGTH).optional(),
    all_users: booleanQuerySchema.default(false),
  })
  .refine((query) => query.offset === undefined || query.cursor === undefined, {
    path: ['offset'],
    error: 'give offset or cursor, not both',
  });
export type ListMemoriesQuery = z.infer<typeof listMemoriesQuerySchema>;

export const getMemoryQuerySchema = z.strictObject({
  user_id: userIdSchema.optional(),
  include_deleted: booleanQuerySchema.optional().describe('Also one that is deleted and not purged yet.'),
});

export const deleteMemoriesQuerySchema = z.strictObject({
  key: keySchema,
  category: categorySchema.optional(),
  user_id: userIdSchema.optional(),
  purge: booleanQuerySchema.optional().describe('For good, former values of the key too.'),
});

export const listVersionsQuerySchema = z.strictObject({
  user_id: userIdSchema.optional(),
  limit: limitQuery(1_000, 200),
  cursor: z.string().max(512).optional(),
});

export const memoryVersionSchema = z.object({
  memory_id: z.uuid(),
  number: z.int(),
  operation: z.enum(['ADD', 'UPDATE', 'SUPERSEDE', 'DELETE', 'MERGE', 'ARCHIVE', 'RESTORE']),
  before: jsonSchema,
  after: jsonSchema,
  actor: z.string(),
  extraction_id: z.uuid().nullable(),
  cause: z.string().nullable().describe('Why, where the operation does not say it all.'),
  created_at: timestampSchema,
});

export const clearMemoriesSchema = z.strictObject({
  user_id: userIdSchema.optional(),
  confirm: userIdSchema.describe('The id of the user whose memory is cleared, once more.'),
});

export const clearedMemoriesSchema = z.object({
  user_id: z.string(),
  memories: z.int().describe('They can be restored until they are purged.'),
  conversations: z.int(),
  documents: z.int(),
  summaries: z.int(),
  skipped: skippedSchema.optional(),
});
export type ClearedMemories = z.infer<typeof clearedMemoriesSchema>;
