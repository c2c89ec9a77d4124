import { z } from 'zod';

/** RFC 9457 problem details, with a stable code and the fields that are wrong. */
export const problemSchema = z.object({
  type: z.string(),
  title: z.string(),
  status: z.int(),
  code: z.string(),
  detail: z.string(),
  errors: z.array(z.object({ field: z.string(), message: z.string() })),
  request_id: z.string(),
});
export type Problem = z.infer<typeof problemSchema>;

/** An error as OpenAI's API has it: its clients show `message` and expose `code`. */
const openAiErrorSchema = z.object({
  message: z.string(),
  type: z.string(),
  code: z.string(),
  param: z.string().nullable(),
});
export type OpenAiError = z.infer<typeof openAiErrorSchema>;

/** A problem on a path that clients of OpenAI ask. */
export const openAiProblemSchema = problemSchema.extend({ error: openAiErrorSchema });
