import type { Preset } from './presets/preset.ts';

/** A JSON Schema that endpoints which can hold a model to one are given, with the name that they want for it. */
export type ReplySchema = Readonly<{ name: string; schema: Readonly<Record<string, unknown>> }>;

const TEXT = { type: 'string' };

/**
 * Facts as a map of free keys, questions with answers, and the event line where a prompt asks for one. The map is why
 * it cannot be a "strict" schema: those know no free keys. It helps the model to keep the form, no more: every reply is
 * read by the tolerant parser.
 */
const FACTS_AND_CONTEXT: ReplySchema = {
  name: 'memories',
  schema: {
    type: 'object',
    properties: {
      facts: { type: 'object', additionalProperties: TEXT },
      context: {
        type: 'array',
        items: {
          type: 'object',
          properties: { q: TEXT, a: TEXT },
          required: ['q', 'a'],
          additionalProperties: false,
        },
      },
    },
    required: ['facts', 'context'],
  },
};

/** The form of a preset's reply; null for replies that are plain lines. */
export function replySchemaOf(preset: Pick<Preset, 'reply'>): ReplySchema | null {
  return preset.reply === 'json' ? FACTS_AND_CONTEXT : null;
}
