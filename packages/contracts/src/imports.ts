import { z } from 'zod';
import { boundedArray } from './bounded-array.ts';
import { skippedSchema } from './conversations.ts';
import { memoryInputSchema, memoryKindSchema, writeStatusSchema } from './memories.ts';
import { filledText, MAX_MEMORIES_PER_BATCH, nameSchema, timestampSchema, userIdSchema } from './text.ts';

export const importItemSchema = memoryInputSchema.safeExtend({
  id: filledText(256).describe(
    'Of the item in its source. An item is imported once, whatever becomes of it.',
  ),
  kind: memoryKindSchema.optional().describe('`event` makes a note an event.'),
  stated_at: timestampSchema.optional().describe('When it was stated; now when left out.'),
});
export type ImportItem = z.infer<typeof importItemSchema>;

export const importMemoriesSchema = z.strictObject({
  user_id: userIdSchema.optional(),
  source: nameSchema.describe('Where the items come from. What is imported is marked with it.'),
  dry_run: z.boolean().default(false).describe('Only say what would happen.'),
  items: boundedArray(importItemSchema).min(1).max(MAX_MEMORIES_PER_BATCH),
});

export const importedItemSchema = z.object({
  id: z.string(),
  status: z
    .enum([...writeStatusSchema.options, 'known', 'refused'])
    .describe(
      '`known`: it was imported before. `refused`: it looks like an attack or a secret; `reason` says which.',
    ),
  memory_id: z.uuid().nullable(),
  reason: z.string().optional(),
});
export type ImportedItem = z.infer<typeof importedItemSchema>;

export const importedSchema = z.object({
  user_id: z.string(),
  results: z.array(importedItemSchema).describe('In the order of the items.'),
  skipped: skippedSchema.optional(),
});
