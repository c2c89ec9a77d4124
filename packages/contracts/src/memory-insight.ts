import { z } from 'zod';
import { messageSchema } from './conversations.ts';
import { memorySchema } from './memories.ts';
import { limitQuery, userIdSchema } from './text.ts';

/** A message that a memory rests on, or that stands beside one. */
export const memorySourcesSchema = z.object({
  conversation_id: z.string().nullable().describe('Null for a memory that no extraction made.'),
  extraction_id: z.uuid().nullable(),
  messages: z.array(
    messageSchema.extend({ is_source: z.boolean().describe('Whether the memory rests on it.') }),
  ),
});
export type MemorySources = z.infer<typeof memorySourcesSchema>;

export const listNeighboursQuerySchema = z.strictObject({
  user_id: userIdSchema.optional(),
  limit: limitQuery(50, 10),
});

export const memoryNeighboursSchema = z.object({
  data: z.array(z.object({ memory: memorySchema, similarity: z.number().describe('Cosine similarity.') })),
  has_vector: z
    .boolean()
    .describe('False: it has no vector of the model in use, so nothing can be compared.'),
});
export type MemoryNeighbours = z.infer<typeof memoryNeighboursSchema>;
