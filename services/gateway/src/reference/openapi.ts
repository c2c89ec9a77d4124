import { externalIdSchema, type Operation, OPERATIONS, userIdSchema, uuidSchema } from '@factmill/contracts';
import type { KnownPath } from '@factmill/http';
import { z } from 'zod';
import { otherPaths } from './other-paths.ts';
import { PROBLEMS } from './problems.ts';
import { componentSchemas, type Json, referenceTo, schemaOf } from './schemas.ts';

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

/** Every method of every path of the document. */
export function documentedPaths(): KnownPath[] {
  const others = Object.entries(otherPaths()).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => ({ method, path })),
  );
  return [...OPERATIONS, ...others];
}

/**
 * The OpenAPI 3.1 document of the REST API, generated from the zod contracts.
 *
 * @param needsKey whether this server asks for a key at all
 */
export function openApiDocument(version: string, needsKey: boolean): Json {
  const paths: Record<string, Json> = { ...otherPaths() };
  for (const operation of OPERATIONS) {
    (paths[operation.path] ??= {})[operation.method] = describe(operation);
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
    security: needsKey ? [{ bearer: [] }, { apiKey: [] }] : [],
    paths,
    components: {
      schemas: componentSchemas(),
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer', description: 'An API key, fm_…' },
        apiKey: { type: 'apiKey', in: 'header', name: 'X-API-Key' },
      },
    },
  };
}

function describe(operation: Operation): Json {
  const parameters = [
    ...[...operation.path.matchAll(/\{(\w+)\}/g)].map((match) => ({
      name: match[1],
      in: 'path',
      required: true,
      schema: schemaOf(idSchemaOf(operation.path), 'input'),
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
            schema: { type: 'string', pattern: '^[!-~]{1,255}$' },
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
    ...requestBodyOf(operation),
    responses: { ...successOf(operation), ...PROBLEMS },
  };
}

/** `{id}` of a path, by what it is an id of. All others are UUIDs. */
const IDS: Readonly<Record<string, z.ZodType>> = {
  'api-keys': z.string(),
  conversations: externalIdSchema,
  documents: externalIdSchema,
  settings: z.string(),
  users: userIdSchema,
};

function idSchemaOf(path: string): z.ZodType {
  const [, , of = ''] = path.split('/');
  return IDS[of] ?? uuidSchema;
}

function requestBodyOf({ body, bodyType }: Operation): Json {
  if (bodyType !== undefined) {
    return { requestBody: { required: true, content: { [bodyType]: { schema: { type: 'string' } } } } };
  }
  if (body === undefined) return {};
  // A request without a body is one with an empty object.
  const required = !body.safeParse({}).success;
  return { requestBody: { required, content: { 'application/json': { schema: schemaOf(body, 'input') } } } };
}

function mayBeDryRun(body: z.ZodType | undefined): boolean {
  return body !== undefined && 'shape' in body && 'dry_run' in (body.shape as object);
}

function successOf(operation: Operation): Json {
  const { status, body, response, responseTypes, isStreamed, maySkip } = operation;
  const success = (schema: Json, others: Json = {}): Json => ({
    description: 'Success',
    content: { 'application/json': { schema }, ...others },
  });
  if (responseTypes !== undefined) {
    const content = Object.fromEntries(responseTypes.map((type) => [type, { schema: { type: 'string' } }]));
    return { [status]: { description: 'Success', content } };
  }
  if (response === null) return { [status]: { description: 'Success' } };
  const schema = schemaOf(response, 'output');
  const streamed = isStreamed === true ? EVENT_STREAM : {};
  const whenIdle = maySkip === true ? { anyOf: [schema, referenceTo('Skipped')] } : schema;
  if (status === 200) return { 200: success(whenIdle, streamed) };
  // What was there before, and a dry run, are answered with 200.
  const mayIdle = maySkip === true || mayBeDryRun(body);
  return {
    ...(mayIdle ? { 200: { ...success(whenIdle), description: 'Nothing was to do' } } : {}),
    [status]: success(schema, streamed),
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
  const { properties, required } = schemaOf(query, 'input') as {
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
