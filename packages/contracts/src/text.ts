import { z } from 'zod';

/** Longest message content, in code points. Longer texts belong into documents or several messages. */
export const MAX_CONTENT_LENGTH = 200_000;
/** Longest memory text, in code points. */
export const MAX_MEMORY_LENGTH = 8_000;
export const MAX_ID_LENGTH = 128;
export const MAX_USER_ID_LENGTH = 256;
export const MAX_MESSAGES_PER_REQUEST = 500;
/** Most messages of a chat completion request, which brings the whole history. */
export const MAX_CHAT_MESSAGES = 10_000;
/** Values in a chat completion request. They are scanned, not parsed. */
export const MAX_CHAT_VALUES = 100_000;
export const MAX_MEMORIES_PER_BATCH = 1_000;
/** Largest `metadata`, in bytes of JSON. A list shows up to 200 of them. */
export const MAX_METADATA_BYTES = 64 * 1024;
const MAX_METADATA_KEY_LENGTH = 128;
/** Largest single tool call of a message that is stored, in bytes of JSON. */
export const MAX_TOOL_CALL_BYTES = 256 * 1024;
/** Deepest nesting of a request body: an object in an object is 2. */
export const MAX_JSON_DEPTH = 16;
/** Values in a request body, objects and arrays included. Their number, not the bytes, is what parsing costs. */
export const MAX_JSON_VALUES = 50_000;

/** For this user nothing is stored, searched or extracted (A10). */
export const UNKNOWN_USER = 'unknown';

type TextRules = Readonly<{ minLength?: number; pattern?: string }>;

/**
 * What the reference says of a text beside its length, as JSON Schema: generated schemas do not have refinements. Those
 * of tools do not have it either, because some models refuse patterns.
 */
export const textRules = z.registry<TextRules>();

/** The same schema, with what the reference says of it. */
export function withRules<T extends z.ZodType>(schema: T, rules: TextRules): T {
  textRules.add(schema, rules);
  return schema;
}

/**
 * Text that Postgres can hold: no NUL character, no unpaired surrogate. Both are refused rather than repaired,
 * because what comes back must be what was accepted.
 */
export function text(maxLength: number) {
  return z
    .string()
    .max(maxLength)
    .refine((value) => !value.includes('\u0000'), { error: 'must not contain a NUL character' })
    .refine((value) => value.isWellFormed(), { error: 'must be well-formed Unicode (unpaired surrogate)' });
}

/** Text with at least one character that is not white space. */
export function filledText(maxLength: number) {
  return withRules(
    text(maxLength).refine((value) => value.trim() !== '', { error: 'must not be empty' }),
    { minLength: 1, pattern: String.raw`\S` },
  );
}

// oxlint-disable-next-line no-control-regex -- control characters are exactly what an id must not contain
const CONTROL = /[\u0000-\u001f\u007f]/u;

const UNSTORABLE = 'must not contain NUL characters or unpaired surrogates';

/** Whether Postgres can hold every text and key in a JSON value. Depth is bounded by MAX_JSON_DEPTH. */
function isStorable(value: unknown): boolean {
  if (typeof value === 'string') return value.isWellFormed() && !value.includes('\u0000');
  if (typeof value !== 'object' || value === null) return true;
  return Object.entries(value).every(([key, child]) => isStorable(key) && isStorable(child));
}

/** A JSON object of the caller's that is stored as it is. */
export function storableObject<T extends z.ZodType>(schema: T) {
  return schema.refine(isStorable, { error: UNSTORABLE });
}

function identifier(maxLength: number) {
  return withRules(
    filledText(maxLength).refine((value) => !CONTROL.test(value), {
      error: 'must not contain control characters',
    }),
    {
      minLength: 1,
      pattern: String.raw`^[^\u0000-\u001f\u007f]*[^\s\u0000-\u001f\u007f][^\u0000-\u001f\u007f]*$`,
    },
  );
}

export const userIdSchema = identifier(MAX_USER_ID_LENGTH).describe(
  'Whose memory this is. Precedence: request, then the conversation, the API key’s user, its name, the configured default.',
);
export const externalIdSchema = identifier(MAX_ID_LENGTH);
export const uuidSchema = z.uuid({ error: 'must be a UUID' });
/** `{id}` of a path. */
export const uuidParamsSchema = z.object({ id: uuidSchema });

const FIRST_INSTANT = Date.parse('0001-01-01T00:00:00Z');
const END_OF_TIME = Date.UTC(10_000, 0, 1);
/** An offset from UTC that Postgres takes: less than 16 hours. */
const OFFSET = '[+-](?:0\\d|1[0-5])';
const TOO_FAR = /[+-](?:1[6-9]|2\d):\d\d$/;
/** A moment in the years 1 to 9999 (UTC): what both Postgres and JavaScript can hold and print alike. */
export const timestampSchema = withRules(
  z.iso
    .datetime({
      offset: true,
      abort: true,
      error: 'must be a time with a zone, such as 2026-11-21T10:00:00Z',
    })
    .refine(
      (value) => {
        const time = Date.parse(value);
        return time >= FIRST_INSTANT && time < END_OF_TIME;
      },
      { error: 'must be in the years 1 to 9999' },
    )
    .refine((value) => !TOO_FAR.test(value), { error: 'must be less than 16 hours from UTC' }),
  { pattern: z.regexes.datetime({ offset: true }).source.replace('[+-](?:[01]\\d|2[0-3])', OFFSET) },
);
export const projectSchema = identifier(256);
export const nameSchema = identifier(128);
/** A JSON value of the caller's, as it has been parsed. */
export const jsonSchema = z.unknown().meta({ description: 'Any JSON value' });

/** Whether a JSON value, written without white space, has at most so many bytes of UTF-8. */
function isWithin(value: unknown, maxBytes: number): boolean {
  return new TextEncoder().encode(JSON.stringify(value) ?? '').length <= maxBytes;
}

/** A JSON object of the caller's that is stored as it is, and returned by lists together with many others. */
export function smallObject<T extends z.ZodType>(schema: T, maxBytes: number) {
  return storableObject(
    schema.refine((value) => isWithin(value, maxBytes), {
      error: `must not be larger than ${maxBytes / 1_024} KB as JSON`,
      abort: true,
    }),
  );
}

/** Metadata as answers have it: what was stored before there was a limit may be larger. */
export const metadataSchema = z
  .record(z.string(), jsonSchema)
  .describe('Your own JSON object; stored and returned, never interpreted.');

export const metadataInputSchema = smallObject(metadataSchema, MAX_METADATA_BYTES)
  .refine((value) => Object.keys(value).every((key) => key.length <= MAX_METADATA_KEY_LENGTH), {
    error: `must not have keys longer than ${MAX_METADATA_KEY_LENGTH} characters`,
  })
  .describe(
    `Your own JSON object of at most ${MAX_METADATA_BYTES / 1_024} KB; stored and returned, never interpreted.`,
  );

/** Query parameters arrive as text. */
export const booleanQuerySchema = z.enum(['true', 'false']).transform((value) => value === 'true');

/** `limit` of a list. */
export function limitQuery(max: number, fallback: number) {
  return z.coerce.number().int().min(1).max(max).default(fallback);
}
