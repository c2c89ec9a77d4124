import {
  acceptedExtractionSchema,
  acceptedMessagesSchema,
  conversationSchema,
  extractionSchema,
  memorySchema,
  messageInputSchema,
  messageSchema,
  type Operation,
  OPERATIONS,
  problemSchema,
  profileSchema,
  searchRequestSchema,
  searchResponseSchema,
  summarySchema,
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
  Problem: problemSchema,
  Profile: profileSchema,
  SearchRequest: searchRequestSchema,
  SearchResponse: searchResponseSchema,
  Summary: summarySchema,
} as const;

type Json = Record<string, unknown>;

/** The OpenAPI 3.1 document of the REST API, generated from the zod contracts. */
export function openApiDocument(version: string): Json {
  const named = new Map<z.ZodType, string>(Object.entries(NAMED).map(([name, schema]) => [schema, name]));
  const schemas: Json = { AnyJson: { description: 'Any JSON value' } };
  for (const [name, schema] of Object.entries(NAMED)) {
    schemas[name] = jsonSchema(
      schema,
      name === 'MessageInput' || name === 'SearchRequest' ? 'input' : 'output',
    );
  }
  const paths: Record<string, Json> = {};
  for (const operation of OPERATIONS) {
    (paths[operation.path] ??= {})[operation.method] = describe(operation, named);
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Factmill',
      version,
      description: 'The memory layer for applications that talk to language models.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/' }],
    security: [{ bearer: [] }, { apiKey: [] }],
    paths,
    components: {
      schemas,
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer', description: 'An API key, fm_…' },
        apiKey: { type: 'apiKey', in: 'header', name: 'X-API-Key' },
      },
    },
  };
}

function jsonSchema(schema: z.ZodType, io: 'input' | 'output'): Json {
  const {
    $schema: _dialect,
    $defs: _definitions,
    ...rest
  } = z.toJSONSchema(schema, { io, unrepresentable: 'any' }) as Json;
  return withoutLocalReferences(rest) as Json;
}

/** The one schema that contains itself is `z.json()`; its definition would be out of place inside the document. */
function withoutLocalReferences(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(withoutLocalReferences);
  if ('$ref' in value && typeof value.$ref === 'string' && value.$ref.startsWith('#/$defs/')) {
    return { $ref: '#/components/schemas/AnyJson' };
  }
  return Object.fromEntries(
    Object.entries(value).map(([key, child]) => [key, withoutLocalReferences(child)]),
  );
}

function describe(operation: Operation, named: ReadonlyMap<z.ZodType, string>): Json {
  const refer = (schema: z.ZodType, io: 'input' | 'output'): Json => {
    const name = named.get(schema);
    return name === undefined ? jsonSchema(schema, io) : { $ref: `#/components/schemas/${name}` };
  };
  const parameters = [
    ...[...operation.path.matchAll(/\{(\w+)\}/g)].map((match) => ({
      name: match[1],
      in: 'path',
      required: true,
      schema: { type: 'string' },
    })),
    ...(operation.query === undefined ? [] : queryParameters(operation.query)),
    ...(operation.idempotent === true
      ? [
          {
            name: 'Idempotency-Key',
            in: 'header',
            required: false,
            description:
              'The same key with the same body gives the first answer again; with another body, 409.',
            schema: { type: 'string', maxLength: 255 },
          },
        ]
      : []),
  ];
  return {
    tags: [operation.tag],
    summary: operation.summary,
    description: `Needs the permission \`${operation.permission}\`.`,
    operationId: `${operation.method}${operation.path.replace(/[^a-z]{1,8}(\w)/gi, (_match, letter: string) => letter.toUpperCase()).replace(/\W/g, '')}`,
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(operation.body === undefined
      ? {}
      : {
          requestBody: {
            required: true,
            content: { 'application/json': { schema: refer(operation.body, 'input') } },
          },
        }),
    responses: {
      [operation.status]: {
        description: 'Success',
        ...(operation.response === null
          ? {}
          : { content: { 'application/json': { schema: refer(operation.response, 'output') } } }),
      },
      default: {
        description: 'What went wrong and what to do about it',
        content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } },
      },
    },
  };
}

function queryParameters(query: z.ZodType): Json[] {
  const { properties, required } = jsonSchema(query, 'input') as {
    properties?: Record<string, Json>;
    required?: string[];
  };
  return Object.entries(properties ?? {}).map(([name, schema]) => ({
    name,
    in: 'query',
    required: required?.includes(name) ?? false,
    schema,
  }));
}
