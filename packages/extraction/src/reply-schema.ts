import type { Preset } from './presets/preset.ts';

/** A JSON Schema that endpoints which can hold a model to one are given, with the name that they want for it. */
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
 * What each prompt asks for. They help a model to keep the form, no more: every reply is read by the tolerant parser.
 * A list that stands alone cannot be asked for this way, because endpoints want an object; nor can a line.
 */
const SCHEMAS: Readonly<Record<Preset['prompt'], Schema | null>> = {
  standard: object({
    facts: list(object({ category: TEXT, key: TEXT, value: TEXT })),
    context: QUESTIONS,
    event: TEXT_OR_NULL,
  }),
  // A map of free keys: why no schema here is a "strict" one, which knows none.
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

/** The form of a preset's reply; null where it is not one that endpoints can be asked for. */
export function replySchemaOf(preset: Pick<Preset, 'prompt'>): ReplySchema | null {
  const schema = SCHEMAS[preset.prompt];
  return schema === null ? null : { name: 'memories', schema };
}
