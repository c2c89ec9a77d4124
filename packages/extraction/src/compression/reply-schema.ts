import type { ReplySchema } from '../reply-schema.ts';
import type { CompressionTemplate } from './compression-plan.ts';

const STATEMENT = {
  type: 'object',
  properties: {
    text: { type: 'string' },
    category: { type: 'string' },
    from: { type: 'array', items: { type: 'integer' } },
  },
  required: ['text', 'from'],
  additionalProperties: false,
};

function schemaOfList(name: string, more: Record<string, unknown> = {}): ReplySchema {
  return {
    name,
    schema: {
      type: 'object',
      properties: { [name]: { type: 'array', items: STATEMENT }, ...more },
      required: [name, ...Object.keys(more)],
      additionalProperties: false,
    },
  };
}

const SCHEMAS: Readonly<Record<CompressionTemplate, ReplySchema>> = {
  'compress-events': schemaOfList('facts'),
  'merge-partition': schemaOfList('memories'),
  'update-profile': schemaOfList('profile', { archive: { type: 'array', items: { type: 'integer' } } }),
};

/** The JSON Schema of the reply to a question. The tolerant reader reads every reply anyway. */
export function compressionReplySchema(template: CompressionTemplate): ReplySchema {
  return SCHEMAS[template];
}
