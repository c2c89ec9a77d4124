import { z } from 'zod';

const count = z.int().min(0);

export const queuePressureQuerySchema = z.strictObject({
  target_wait_seconds: z.coerce
    .number()
    .min(1)
    .max(3_600)
    .default(30)
    .describe('How long an extraction may wait; for `wanted_slots`.'),
});

export const queuePressureSchema = z.object({
  oldest_waiting_seconds: z
    .number()
    .min(0)
    .describe('How long a worker has been missing for the one that waits longest; 0 when none waits.'),
  waiting: count.describe(
    'Extractions that another worker could take now. Those that wait for their time, for an earlier one of their conversation or for a budget do not count.',
  ),
  active: count.describe('Extractions that workers work on.'),
  deferred: count.describe('Extractions that wait because a budget is used up.'),
  wanted_slots: count.describe(
    '`active`, and as many as work off `waiting` before the oldest has waited for `target_wait_seconds`: `waiting` × `mean_seconds` ÷ the time left, at most one for each. A slot is one of EXTRACTOR_CONCURRENCY.',
  ),
  mean_seconds: z
    .number()
    .min(0)
    .nullable()
    .describe('How long the extractions before took; null before any, and when none waits.'),
  paused: z
    .boolean()
    .describe(
      'No worker takes anything, because the model is down or extraction is switched off; `waiting` is 0 then.',
    ),
});
export type QueuePressure = z.infer<typeof queuePressureSchema>;
