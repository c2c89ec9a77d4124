import { z } from 'zod';
import { memorySchema } from './memories.ts';
import { externalIdSchema, filledText, MAX_MEMORY_LENGTH, timestampSchema, userIdSchema } from './text.ts';

export const summaryQuerySchema = z.strictObject({
  user_id: userIdSchema.optional(),
  conversation_id: externalIdSchema
    .optional()
    .describe('The rolling summary of this conversation instead of the user’s narrative.'),
});

export const putSummarySchema = z.strictObject({
  user_id: userIdSchema.optional(),
  conversation_id: externalIdSchema.optional(),
  content: filledText(MAX_MEMORY_LENGTH).describe(
    'Stands until something changes that a summary tells of; then it is written anew, where the preset keeps one.',
  ),
});

export const summarySchema = z.object({
  user_id: z.string(),
  conversation_id: z.string().nullable(),
  content: z.string().nullable().describe('Null when there is none, or nothing to tell.'),
  source: z
    .enum(['model', 'composed', 'manual'])
    .nullable()
    .describe(
      'model: written by the language model; composed: put together by rules; manual: replaced by PUT.',
    ),
  updated_at: timestampSchema.nullable(),
  stale: z.boolean().describe('Something has changed since; a new text follows in the background.'),
});
export type Summary = z.infer<typeof summarySchema>;

export const profileSchema = z.object({
  user_id: z.string(),
  memories: z.array(memorySchema).describe('Tier 1, the most important first; at most 200.'),
  text: z.string().describe('The same as one line each.'),
});
export type Profile = z.infer<typeof profileSchema>;
