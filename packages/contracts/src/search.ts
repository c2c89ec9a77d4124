import { z } from 'zod';
import { memoryKindSchema, memorySchema } from './memories.ts';
import { externalIdSchema, filledText, nameSchema, projectSchema, userIdSchema } from './text.ts';
import { skippedSchema } from './conversations.ts';

export const searchModeSchema = z.enum(['vector']);
export type SearchMode = z.infer<typeof searchModeSchema>;

export const searchFiltersSchema = z.strictObject({
  kinds: z.array(memoryKindSchema).min(1).max(4).optional(),
  categories: z.array(nameSchema).min(1).max(64).optional(),
  tags: z.array(nameSchema).min(1).max(64).optional().describe('A memory has to carry all of them.'),
  tiers: z.array(z.int().min(1).max(3)).min(1).max(3).optional(),
  project: projectSchema.optional(),
  conversation_id: externalIdSchema
    .optional()
    .describe('Memories that were learned in the conversation, or are kept for it only.'),
});
export type SearchFilters = z.infer<typeof searchFiltersSchema>;

export const searchRequestSchema = z.strictObject({
  query: filledText(4_000),
  user_id: userIdSchema.optional(),
  limit: z.int().min(1).max(200).default(15),
  mode: searchModeSchema.default('vector'),
  filters: searchFiltersSchema.optional(),
  min_similarity: z
    .number()
    .min(-1)
    .max(1)
    .optional()
    .describe('Cosine similarity below which the vector channel drops a memory; default: the model’s own.'),
});
export type SearchRequest = z.infer<typeof searchRequestSchema>;

export const searchChannelSchema = z.enum(['vector', 'text']);

export const searchResultSchema = z.object({
  memory: memorySchema,
  score: z.number(),
  similarity: z.number().optional(),
  channels: z.array(searchChannelSchema),
});
export type SearchResult = z.infer<typeof searchResultSchema>;

export const searchResponseSchema = z.object({
  results: z.array(searchResultSchema),
  mode: searchModeSchema,
  user_id: z.string(),
  degraded: z.string().optional().describe('What was left out and why, for example `embedding_unavailable`.'),
  skipped: skippedSchema.optional(),
});
export type SearchResponse = z.infer<typeof searchResponseSchema>;
