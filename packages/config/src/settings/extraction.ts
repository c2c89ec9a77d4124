import { z } from 'zod';
import { flag, nonNegativeInt, positiveInt, presetName } from './values.ts';

function isTimeZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
}

export const extraction = {
  EXTRACTION_ENABLED: flag.default(true).meta({
    description:
      'Whether anything is extracted. While it is `false`, what is accepted waits, and is extracted when it is `true` again; the queue limits hold meanwhile. It can change at run time: `factmill config set extraction.enabled false`.',
  }),
  PRESET: presetName.default('standard').meta({
    description:
      'How conversations are extracted, and how memories are found and put into chats, where nothing nearer says. docs/presets.md says what each does.',
  }),
  MEMORY_MAX_ENTRIES: nonNegativeInt.max(1_000_000).optional().meta({
    description: 'Memories and turns that are kept of each conversation; the oldest of both leave. 0: all.',
    unset: 'as the preset has it',
  }),
  MEMORY_SUMMARIES: flag.optional().meta({
    description: 'Whether each conversation has a rolling summary.',
    unset: 'as the preset has it',
  }),
  KEEP_OWN_WORDS: flag.default(true).meta({
    description:
      'Whether the rules keep what a user states, and none of them reads, as a note in the user’s own words. A model replaces such notes when it extracts the same messages.',
  }),
  PROMPTS_DIR: z.string().min(1).optional().meta({
    description: 'Folder of prompt templates that replace ours; docs/presets.md says how.',
    unset: 'ours',
  }),
  DAILY_FLUSH_AT: z
    .string()
    .regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'must be HH:MM, for example 03:00')
    .meta({ allowed: '`HH:MM`' })
    .default('02:30')
    .meta({
      description:
        'When the daily flush extracts what waits, with presets that have one. Some time before `COMPRESS_DAILY_AT`, so that the events of the day are there.',
    }),
  TIME_ZONE: z
    .string()
    .refine(isTimeZone, { error: 'must be a time zone such as Europe/Berlin' })
    .meta({ allowed: 'a time zone such as `Europe/Berlin`' })
    .default('UTC')
    .meta({ description: 'Time zone of everything that happens at a time of day.' }),
  STALE_AFTER_S: nonNegativeInt
    .max(30 * 86_400)
    .default(1_800)
    .meta({
      description:
        'A conversation that has been idle for so many seconds is extracted when its user begins another one. 0: at once.',
    }),
  EXTRACTOR_CONCURRENCY: positiveInt
    .max(1_000)
    .default(10)
    .meta({ description: 'Extractions at a time in each extractor.' }),
  MAX_ATTEMPTS: positiveInt.max(100).default(5).meta({
    description:
      "Attempts of an extraction before it ends as `failed`. Outages of the model's provider do not count.",
  }),
  RETRY_STRATEGY: z.enum(['fixed', 'exponential']).default('fixed').meta({
    description:
      '`fixed`: an attempt every `RETRY_INTERVAL_MS`. `exponential`: doubling with jitter, up to `RETRY_MAX_INTERVAL_MS`.',
  }),
  RETRY_INTERVAL_MS: positiveInt.default(5_000).meta({
    description:
      'Time between attempts. It can change at run time: `factmill config set retry.interval_ms 1000`.',
  }),
  RETRY_MAX_INTERVAL_MS: positiveInt.default(300_000).meta({ description: 'Longest time between attempts.' }),
  BREAKER_PROBE_INTERVAL_MS: positiveInt.max(3_600_000).default(5_000).meta({
    description:
      'While a provider is down, all extractors together probe it once in this time, and never before its `Retry-After`.',
  }),
  QUEUE_LIMIT: nonNegativeInt.default(0).meta({
    description:
      'How many extractions may wait. Over it the oldest are dropped; they can be replayed. 0: no limit.',
  }),
  QUEUE_TENANT_LIMIT: nonNegativeInt.default(0).meta({ description: 'The same for each tenant.' }),
  SWEEP_INTERVAL_MS: positiveInt
    .default(2_000)
    .meta({ description: 'How often the ledger is compared with the queue, to put lost jobs back.' }),
  SWEEP_GRACE_MS: positiveInt
    .default(5_000)
    .meta({ description: 'How old an extraction has to be before that.' }),
  DELETED_RETENTION_DAYS: nonNegativeInt
    .default(30)
    .meta({ description: 'How long a deleted memory can be restored.' }),
  SHUTDOWN_GRACE_MS: nonNegativeInt
    .default(10_000)
    .meta({ description: 'How long running work may go on after SIGTERM.' }),
};

export const compression = {
  COMPRESS_DAILY_AT: z
    .string()
    .regex(/^(?:off|(?:[01]\d|2[0-3]):[0-5]\d)$/, 'must be HH:MM, for example 03:00, or off')
    .meta({ allowed: '`HH:MM` or `off`' })
    .default('03:00')
    .meta({ description: 'When the events of the day before become facts.' }),
  COMPRESS_WEEKLY_AT: z
    .string()
    .regex(
      /^(?:off|(?:sunday|monday|tuesday|wednesday|thursday|friday|saturday) (?:[01]\d|2[0-3]):[0-5]\d)$/,
      'must be a weekday and HH:MM, for example monday 04:00, or off',
    )
    .meta({ allowed: 'a weekday and `HH:MM`, or `off`' })
    .default('monday 04:00')
    .meta({ description: 'When knowledge is merged and the profile refreshed.' }),
};
