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
import { otherPaths } from './other-paths.ts';

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

/** The order in which the reference page shows them. */
const TAGS = {
  Conversations: 'Messages come in',
  Extractions: 'What became of them',
  Memories: 'What is remembered',
  Search: 'Finding memories',
  Context: 'Memories as a block for a prompt',
  Summaries: 'Summaries and profiles',
  Documents: 'Texts that an application always has at hand',
  Chat: 'Chat completions with memory',
  Tools: 'The memory tool for agents',
  Events: 'What happened, in order',
  Webhooks: 'Events sent to an address',
  Queue: 'How much work waits',
  Usage: 'What calls of models cost',
  Tenants: 'Tenants with their presets and limits, for operators',
  Users: 'Everything of a user, and of all users',
  Audit: 'Who did what to whom',
  Retention: 'How long things are kept, and what has to stay',
  'API keys': 'Who may ask',
  Settings: 'Settings that change at run time',
  Compressions: 'Compression by hand',
  Replays: 'What extractions would have made with other settings',
  Vectors: 'Vectors of embedding models',
  Console: 'Sessions of browsers in place of keys',
  Operating: 'Probes',
};

/** Each event of a stream has the id of the last event it tells of, and an item of the list as JSON. */
const EVENT_STREAM: Json = {
  'text/event-stream': { schema: { type: 'string', description: '`id` and `data` of each event; comments' } },
};

/** Problem answers of any operation. */
const PROBLEMS: Json = Object.fromEntries(
  Object.entries({
    400: 'The request is not valid: `errors` names the fields',
    401: 'An API key is needed',
    403: 'The API key does not permit it',
    404: 'There is nothing of that name here',
    409: 'It contradicts what is stored',
    429: 'Too many requests: see `Retry-After`',
    503: 'Temporarily unavailable: see `Retry-After`',
    default: 'What went wrong and what to do about it',
  }).map(([status, description]) => [
    status,
    {
      description,
      content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } },
    },
  ]),
);

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
  const paths: Record<string, Json> = { ...otherPaths(PROBLEMS) };
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
    tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
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

/** The only recursive schema is `z.json()`; its definition does not belong into the document. */
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
    description: permissionsOf(operation),
    operationId: operationIdOf(operation),
    ...(parameters.length === 0 ? {} : { parameters }),
    ...requestBodyOf(operation, refer),
    responses: {
      [operation.status]: {
        description: 'Success',
        ...answerOf(operation, refer),
      },
      ...PROBLEMS,
    },
  };
}

type Refer = (schema: z.ZodType, io: 'input' | 'output') => Json;

function requestBodyOf({ body, bodyType }: Operation, refer: Refer): Json {
  if (bodyType !== undefined) {
    return { requestBody: { required: true, content: { [bodyType]: { schema: { type: 'string' } } } } };
  }
  if (body === undefined) return {};
  return {
    requestBody: { required: true, content: { 'application/json': { schema: refer(body, 'input') } } },
  };
}

function answerOf({ response, responseType, isStreamed }: Operation, refer: Refer): Json {
  if (responseType !== undefined) return { content: { [responseType]: { schema: { type: 'string' } } } };
  if (response === null) return {};
  return {
    content: {
      'application/json': { schema: refer(response, 'output') },
      ...(isStreamed === true ? EVENT_STREAM : {}),
    },
  };
}

/** `get /v1/memories/{id}/history` → `getMemoriesByIdHistory`. */
function operationIdOf({ method, path }: Operation): string {
  const [, , ...parts] = path.split('/');
  const words = parts.flatMap((part) => (part === '{id}' ? ['by', 'id'] : part.split(/\W/)));
  return method + words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('');
}

function permissionsOf({ permission, acrossUsers }: Operation): string {
  const needs = `Needs the permission \`${permission}\``;
  if (acrossUsers === undefined) return `${needs}.`;
  const when = acrossUsers === 'by_request' ? '' : ', or without `user_id` where the key has no user';
  return `${needs}; with \`all_users\`${when}, \`memory.read_all\` too.`;
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
