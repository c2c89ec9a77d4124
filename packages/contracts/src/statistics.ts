import { z } from 'zod';
import { skippedSchema } from './conversations.ts';
import { extractionStateSchema } from './extraction-state.ts';
import { memoryKindSchema } from './memories.ts';
import { timestampSchema } from './text.ts';

const count = z.int().min(0);

export const statisticsSchema = z.object({
  user_id: z.string(),
  memories: z.object({
    current: count.describe('What search can find.'),
    expired: count.describe('Past their expiry, until they are purged.'),
    archived: count,
    superseded: count.describe('Replaced by a newer statement; kept as history.'),
    deleted: count.describe('Can be restored until they are purged.'),
    by_tier: z.record(z.enum(['1', '2', '3']), count).describe('Of the current ones.'),
    by_kind: z.record(memoryKindSchema, count).describe('Of the current ones.'),
    by_category: z.record(z.string(), count).describe('Of the current ones; the 100 largest.'),
    own_words: count.describe(
      'Current notes in the user’s own words, which the rules keep where none of them reads a statement.',
    ),
    without_vector: count.describe(
      'Current ones that wait for their vector of the embedding model in use, or have lost it (`factmill backfill`).',
    ),
  }),
  conversations: z.object({ total: count, messages: count, messages_not_extracted: count }),
  extractions: z.object({
    by_state: z.record(extractionStateSchema, count),
    last_finished_at: timestampSchema.nullable(),
    oldest_waiting_at: timestampSchema.nullable(),
  }),
  skipped: skippedSchema.optional(),
});
export type Statistics = z.infer<typeof statisticsSchema>;
