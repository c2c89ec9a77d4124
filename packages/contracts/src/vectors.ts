import { z } from 'zod';
import { filledText } from './text.ts';

const count = z.int().min(0);

export const vectorsQuerySchema = z.strictObject({
  model: filledText(256)
    .optional()
    .describe('Count for this model. Without it: the one that is being built, else the one in use.'),
});

/** How complete the vectors of an embedding model are. */
export const vectorsSchema = z.object({
  in_use: z.string().nullable().describe('The model that searches use; null before the first one.'),
  building: z
    .array(z.object({ model: z.string(), done: count, total: count, pass: count }))
    .describe('Models whose vectors are being computed beside those in use, with how far that is.'),
  model: z.string().nullable().describe('The model of the counts below.'),
  memories: count,
  memories_to_embed: count,
  document_parts: count,
  document_parts_to_embed: count,
  characters_to_embed: count,
});
export type Vectors = z.infer<typeof vectorsSchema>;

export const backfilledSchema = z.object({
  found: count.describe('Texts found without a vector just now. Workers compute them in the background.'),
});

export const rebuildSchema = z.object({
  model: z.string(),
  state: z.enum(['active', 'building', 'retired']).describe('`active`: it is in use already.'),
});

export const droppedVectorsSchema = z.object({
  deleted: z.array(z.object({ model: z.string(), vectors: count })),
  more: z.boolean().describe('There are more: call again.'),
});
