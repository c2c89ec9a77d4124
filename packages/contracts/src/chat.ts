import { z } from 'zod';
import { externalIdSchema } from './text.ts';

/** What a chat completion request may say about memory; none of it goes upstream (E1). */
export const chatMemoryFieldsSchema = z.object({
  memory_id: externalIdSchema.optional(),
  memory_top_k: z.int().min(-1_000).max(200).optional(),
  memory_recency_weight: z.number().min(0).max(1).optional(),
  memory_score_threshold: z.number().min(0).max(1).optional(),
  memory_mmr_lambda: z.number().min(0).max(1).optional(),
});
export type ChatMemoryFields = z.infer<typeof chatMemoryFieldsSchema>;

/** A memory that went into a request, as the answer to it names it (E8). */
export type MemoryHit = Readonly<{ role: string; content: string; created_at: string; score: number }>;
