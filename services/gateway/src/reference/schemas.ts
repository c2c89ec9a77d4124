import {
  acceptedExtractionSchema,
  acceptedMessagesSchema,
  conversationSchema,
  extractionSchema,
  memorySchema,
  messageInputSchema,
  messageSchema,
  openAiProblemSchema,
  problemSchema,
  profileSchema,
  searchRequestSchema,
  searchResponseSchema,
  skippedAnswerSchema,
  summarySchema,
  textRules,
} from '@factmill/contracts';
import { z } from 'zod';

/** Schemas that the document names instead of repeating. */
const NAMED = {
  AcceptedExtraction: acceptedExtractionSchema,
  AcceptedMessages: acceptedMessagesSchema,
  Conversation: conversationSchema,
  Extraction: extractionSchema,
  Memory: memorySchema,
  Message: messageSchema,
  MessageInput: messageInputSchema,
  OpenAiProblem: openAiProblemSchema,
  Problem: problemSchema,
  Profile: profileSchema,
  SearchRequest: searchRequestSchema,
  SearchResponse: searchResponseSchema,
  Summary: summarySchema,
} as const;

export type Json = Record<string, unknown>;
type Io = 'input' | 'output';

/** As a request has them; the others are described as answers have them. */
const OF_REQUESTS: readonly string[] = ['MessageInput', 'SearchRequest'];

const NAMES = new Map<unknown, keyof typeof NAMED>(
  Object.entries(NAMED).map(([name, schema]) => [schema, name as keyof typeof NAMED]),
);

export const referenceTo = (name: keyof typeof NAMED | 'AnyJson' | 'Skipped'): Json => ({
  $ref: `#/components/schemas/${name}`,
});

/** A contract as the document has it: what has a name is referred to. */
export function schemaOf(schema: z.ZodType, io: Io): Json {
  const name = NAMES.get(schema);
  return name === undefined ? written(schema, io) : referenceTo(name);
}

/** The schemas that have a name. */
export function componentSchemas(): Json {
  return {
    AnyJson: { description: 'Any JSON value' },
    ...Object.fromEntries(
      Object.entries(NAMED).map(([name, schema]) => [
        name,
        written(schema, OF_REQUESTS.includes(name) ? 'input' : 'output'),
      ]),
    ),
    Skipped: { ...written(skippedAnswerSchema, 'output'), additionalProperties: true },
  };
}

/** With what refinements say of texts, which generated schemas leave out. */
function written(schema: z.ZodType, io: Io): Json {
  const {
    $schema: _dialect,
    $defs: _definitions,
    ...rest
  } = z.toJSONSchema(schema, {
    io,
    unrepresentable: 'any',
    override: ({ zodSchema, jsonSchema: made, path }) => {
      const name = path.length === 0 ? undefined : NAMES.get(zodSchema);
      if (name === undefined) {
        Object.assign(made, textRules.get(zodSchema));
        return;
      }
      for (const key of Object.keys(made)) delete made[key];
      Object.assign(made, referenceTo(name));
    },
  }) as Json;
  return withoutLocalReferences(rest) as Json;
}

/** The only recursive schema is `z.json()`; its definition does not belong into the document. */
function withoutLocalReferences(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(withoutLocalReferences);
  if ('$ref' in value && typeof value.$ref === 'string' && value.$ref.startsWith('#/$defs/')) {
    return referenceTo('AnyJson');
  }
  return Object.fromEntries(
    Object.entries(value).map(([key, child]) => [key, withoutLocalReferences(child)]),
  );
}
