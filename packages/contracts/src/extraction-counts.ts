import { z } from 'zod';
import { extractionStateSchema } from './extraction-state.ts';
import { booleanQuerySchema, timestampSchema, userIdSchema } from './text.ts';

/** So many of the newest extractions of a period are counted at most. */
export const MAX_COUNTED_EXTRACTIONS = 100_000;
/** So many intervals a series has at most. */
export const MAX_SERIES_POINTS = 1_500;

const TRUNCATED = `There are more than ${MAX_COUNTED_EXTRACTIONS} extractions in the period; the newest were counted.`;
const count = z.int().min(0);

const period = {
  user_id: userIdSchema.optional(),
  all_users: booleanQuerySchema.optional().describe('Of every user of the tenant; needs memory.read_all.'),
  since: timestampSchema.optional(),
  until: timestampSchema.optional(),
};

export const countExtractionsQuerySchema = z.strictObject(period);

const byName = z.record(z.string(), count);

/** What became of the extractions that were accepted in a period. */
export const extractionCountsSchema = z.object({
  by_state: z.record(extractionStateSchema, count),
  by_reason: byName.describe('Why they were dropped, skipped or deferred.'),
  by_error: byName.describe('Classes of errors, of failed ones and of those that are tried again.'),
  by_trigger: byName,
  rejections: byName.describe('Why items of replies were not stored, and how many.'),
  truncated: z.literal(true).optional().describe(TRUNCATED),
});
export type ExtractionCounts = z.infer<typeof extractionCountsSchema>;

export const seriesIntervalSchema = z.enum(['minute', 'hour', 'day']);
export type SeriesInterval = z.infer<typeof seriesIntervalSchema>;

export const extractionSeriesQuerySchema = z.strictObject({
  ...period,
  interval: seriesIntervalSchema.default('hour').describe('Days are those of UTC.'),
});

/** The extractions that were accepted in one interval, and what has become of them. */
export const seriesPointSchema = z.object({
  at: timestampSchema.describe('When the interval begins.'),
  accepted: count,
  done: count,
  failed: count,
  dropped: count,
  skipped: count,
  deferred: count.describe('They wait because a budget is used up.'),
  waiting: count.describe('They wait otherwise.'),
  active: count,
  latency_p50_ms: z
    .int()
    .nullable()
    .describe('From acceptance to done, half of them; null when none is done.'),
  latency_p95_ms: z.int().nullable(),
  model_calls: count,
  prompt_tokens: count,
  completion_tokens: count,
});
export type SeriesPoint = z.infer<typeof seriesPointSchema>;

export const extractionSeriesSchema = z.object({
  interval: seriesIntervalSchema,
  data: z.array(seriesPointSchema).describe('Oldest first, intervals without extractions too.'),
  truncated: z.literal(true).optional().describe(TRUNCATED),
});
export type ExtractionSeries = z.infer<typeof extractionSeriesSchema>;
