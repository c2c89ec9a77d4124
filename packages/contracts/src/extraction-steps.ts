import { z } from 'zod';
import { extractionErrorSchema, extractionSchema } from './extractions.ts';
import { timestampSchema } from './text.ts';

const answerShape = {
  purpose: z.enum(['extract', 'continue', 'reconcile']).describe('What the model was asked for.'),
  status: z
    .enum(['pinned', 'rejected'])
    .describe('`rejected`: it could not be used, or was replaced by a replay.'),
  model: z.string(),
  prompt_version: z.string(),
  finish_reason: z.string().nullable(),
  prompt_tokens: z.int().nullable(),
  completion_tokens: z.int().nullable(),
};

/** One thing that happened to an extraction. */
export const extractionStepSchema = z.object({
  at: timestampSchema,
  step: z
    .enum([
      'accepted',
      'claimed',
      'claimed_again',
      'answered',
      'applied',
      'failed',
      'dropped',
      'skipped',
      'waits',
    ])
    .describe(
      '`claimed`: a worker began; `claimed_again`: the last one of several; `answered`: a model replied, and the reply was stored; `applied`: its memories were stored; `waits`: until when, and `at` may be still to come.',
    ),
  took_ms: z.int().optional().describe('Of `applied`: the transaction.'),
  answer: z.object(answerShape).optional(),
  counts: extractionSchema.shape.counts.optional(),
  reason: z.string().optional(),
  error: extractionErrorSchema.optional(),
});
export type ExtractionStep = z.infer<typeof extractionStepSchema>;

/** What a model replied, word for word. It has the text of conversations, refused items among it. */
export const extractionAnswerSchema = z.object({
  at: timestampSchema,
  ...answerShape,
  provider: z.string(),
  raw: z.string(),
});
export type ExtractionAnswer = z.infer<typeof extractionAnswerSchema>;
