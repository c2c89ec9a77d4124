import { z } from 'zod';
import {
  booleanQuerySchema,
  limitQuery,
  timestampSchema,
  userIdSchema,
  uuidSchema,
  withRules,
} from './text.ts';
import { budgetSchema } from './usage.ts';

const MEMORY_EVENTS = ['memory.created', 'memory.updated', 'memory.deleted', 'memory.restored'] as const;

/** Everything that is told as an event. */
export const eventTypeSchema = z.enum([
  ...MEMORY_EVENTS,
  'extraction.done',
  'extraction.failed',
  'extraction.dropped',
  'summary.updated',
  'user.erased',
  'budget.warning',
  'budget.exceeded',
]);
export type EventType = z.infer<typeof eventTypeSchema>;
export const EVENT_TYPES: readonly EventType[] = eventTypeSchema.options;

/** A place in the order of events. */
const EVENT_ID = /^\d{1,18}-\d{1,18}$/;
export const eventIdSchema = z.string().regex(EVENT_ID, 'must be the id of an event');

const about = {
  id: eventIdSchema.describe(
    'Opaque; the place of the event. Give the last one that you have to `after` to go on behind it.',
  ),
  timestamp: timestampSchema.describe('When the transaction that caused it began.'),
};
const ofUser = { user_id: z.string() };
const ofExtraction = { ...ofUser, extraction_id: uuidSchema, conversation_id: z.string() };

/** An event, as the list, the stream and webhooks have it: ids and counts, never text. */
export const eventSchema = z.discriminatedUnion('type', [
  z.object({
    ...about,
    type: z.enum(MEMORY_EVENTS),
    data: z.object({
      ...ofUser,
      memory_id: uuidSchema,
      operation: z
        .string()
        .describe('As in the history of the memory. An expired memory that is purged has `EXPIRE`.'),
      version: z.int().optional().describe('The number of the version in the history.'),
      extraction_id: uuidSchema.nullable().describe('The extraction that changed it.'),
    }),
  }),
  z.object({
    ...about,
    type: z.literal('extraction.done'),
    data: z.object({
      ...ofExtraction,
      counts: z.object({
        added: z.int(),
        updated: z.int(),
        deleted: z.int(),
        unchanged: z.int(),
        rejected: z.int(),
      }),
    }),
  }),
  z.object({
    ...about,
    type: z.literal('extraction.failed'),
    data: z.object({ ...ofExtraction, error_class: z.string().nullable() }),
  }),
  z.object({
    ...about,
    type: z.literal('extraction.dropped'),
    data: z.object({ ...ofExtraction, reason: z.string().nullable() }),
  }),
  z.object({
    ...about,
    type: z.literal('summary.updated'),
    data: z.object({
      ...ofUser,
      conversation_id: z.string().nullable().describe('Null: the summary of the user.'),
      version: z.int(),
    }),
  }),
  z.object({
    ...about,
    type: z.literal('user.erased'),
    data: z.object({
      erasure_id: uuidSchema.describe('The receipt.'),
      user_sha256: z
        .string()
        .describe('As in the receipt, which says whom it is about to who knows the user.'),
    }),
  }),
  z.object({
    ...about,
    type: z.enum(['budget.warning', 'budget.exceeded']),
    data: z.object({
      ...budgetSchema.shape,
      spent: z.number().describe('What of it is spent in the present period.'),
      level: z.int().describe('Of which 80 or 100 % have just been spent.'),
    }),
  }),
]);
export type Event = z.infer<typeof eventSchema>;

/** Longest time that a list waits for an event, in seconds. */
export const MAX_EVENT_WAIT_SECONDS = 30;

const ANY_TYPE = eventTypeSchema.options.map((type) => type.replace('.', String.raw`\.`)).join('|');

export const listEventsQuerySchema = z.strictObject({
  user_id: userIdSchema.optional(),
  all_users: booleanQuerySchema.optional(),
  after: z
    .union([eventIdSchema, z.literal('now')], { error: 'must be the id of an event, a next_cursor, or now' })
    .optional()
    .describe(
      'The id of the last event that you have, or `next_cursor`. `now`: only what comes. Absent: from the oldest that is kept. A stream goes on behind `Last-Event-ID`, if there is one.',
    ),
  types: withRules(z.string().max(512), { pattern: `^(${ANY_TYPE})(,(${ANY_TYPE}))*$` })
    .transform((names) => names.split(',').map((name) => name.trim()))
    .pipe(z.array(eventTypeSchema).min(1))
    .optional()
    .describe('Only these, separated by commas.'),
  limit: limitQuery(1_000, 100).describe('Of a list.'),
  wait: z.coerce
    .number()
    .min(0)
    .max(MAX_EVENT_WAIT_SECONDS)
    .default(0)
    .describe('How many seconds a list without events waits for one.'),
});

export const eventListSchema = z.object({
  data: z.array(eventSchema),
  next_cursor: z.string().describe('`after` of the next call, also where nothing follows yet.'),
});
export type EventList = z.infer<typeof eventListSchema>;
