import type { Preset } from './presets/preset.ts';

/** A JSON Schema for endpoints with structured output, and the name that they require. */
export type ReplySchema = Readonly<{ name: string; schema: Readonly<Record<string, unknown>> }>;

type Schema = Readonly<Record<string, unknown>>;

const TEXT: Schema = { type: 'string' };
const TEXT_OR_NULL: Schema = { type: ['string', 'null'] };
const NUMBER: Schema = { type: 'number' };

function object(properties: Readonly<Record<string, Schema>>): Schema {
  return { type: 'object', properties, required: Object.keys(properties), additionalProperties: false };
}

function list(items: Schema): Schema {
  return { type: 'array', items };
}

const QUESTIONS = list(object({ q: TEXT, a: TEXT }));

/**
 * The reply schema of each prompt. Schemas only help a model with the form: the tolerant parser reads every reply.
 * A bare list and a line have none, because endpoints require an object.
 */
const SCHEMAS: Readonly<Record<Preset['prompt'], Schema | null>> = {
  standard: object({
    facts: list(object({ category: TEXT, key: TEXT, value: TEXT })),
    context: QUESTIONS,
    event: TEXT_OR_NULL,
  }),
  // A map with free keys. Because of it no schema here is "strict".
  'facts-and-context': {
    type: 'object',
    properties: { facts: { type: 'object', additionalProperties: TEXT }, context: QUESTIONS },
    required: ['facts', 'context'],
  },
  'single-fact': null,
  tiered: object({
    facts: list(
      object({
        project: TEXT_OR_NULL,
        topic: TEXT_OR_NULL,
        category: TEXT,
        content: TEXT,
        importance: NUMBER,
      }),
    ),
    event: TEXT_OR_NULL,
  }),
  categorised: null,
  reconciled: object({ facts: list(TEXT) }),
};

/** The schema of a preset's reply; null when endpoints cannot enforce its form. */
export function replySchemaOf(preset: Pick<Preset, 'prompt'>): ReplySchema | null {
  const schema = SCHEMAS[preset.prompt];
  return schema === null ? null : { name: 'memories', schema };
}
