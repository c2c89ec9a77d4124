import { chatMemoryFieldsSchema, consoleSessionSchema } from '@factmill/contracts';
import { CHAT_PROBLEMS, MCP_PROBLEMS, PROBLEMS } from './problems.ts';
import { type Json, schemaOf } from './schemas.ts';

const json = (schema: Json) => ({ content: { 'application/json': { schema } } });

/** Probes that need no key. */
const probe = (operationId: string, summary: string, statuses: Readonly<Record<string, string>>): Json => ({
  tags: ['Operating'],
  summary,
  operationId,
  security: [],
  responses: Object.fromEntries(
    Object.entries(statuses).map(([status, description]) => [
      status,
      { description, ...json({ type: 'object' }) },
    ]),
  ),
});

const memoryFields = schemaOf(chatMemoryFieldsSchema, 'input');

/** The upstream judges completion requests, so only the memory fields are described. */
const CHAT_REQUEST = {
  ...memoryFields,
  description:
    'A chat completion request as the upstream takes it. The fields of memory do not go upstream; all others go as they came.',
  required: ['model', 'messages'],
  properties: {
    model: { type: 'string' },
    messages: { type: 'array', items: { type: 'object' } },
    user: { type: 'string', description: 'Whose memory it is.' },
    stream: { type: 'boolean' },
    ...(memoryFields['properties'] as Json),
  },
  additionalProperties: true,
};

const session = schemaOf(consoleSessionSchema, 'output');
const answersSession = (description: string) => ({ 200: { description, ...json(session) } });

const MCP_MESSAGE = {
  type: 'object',
  description: 'A JSON-RPC message',
  required: ['jsonrpc', 'method'],
  properties: {
    jsonrpc: { const: '2.0' },
    id: { type: ['string', 'integer'], description: 'Absent of a notification.' },
    method: { type: 'string' },
    params: { type: 'object' },
  },
};

/** The session of the console, which a browser has in place of a key. */
function sessionPath(): Record<string, Json> {
  return {
    get: {
      tags: ['Console'],
      summary: 'Who is signed in, and what the console may do; also an answer where nobody is',
      operationId: 'getConsoleSession',
      security: [],
      responses: { ...answersSession('Signed in or not'), ...PROBLEMS },
    },
    post: {
      tags: ['Console'],
      summary: 'Sign in: the key of this request becomes a session in a cookie that scripts cannot read',
      description:
        'The session has the permissions of the key. It ends after 12 hours, after an hour without requests, and with the key. It is accepted by the operations below `/v1` but chats, the memory tool and imports; those that change something, only from a page of this server.',
      operationId: 'createConsoleSession',
      responses: { ...answersSession('Signed in; the cookie is in `Set-Cookie`'), ...PROBLEMS },
    },
    delete: {
      tags: ['Console'],
      summary: 'Sign out: ends the session of the cookie',
      operationId: 'deleteConsoleSession',
      security: [],
      responses: { 204: { description: 'Signed out' }, ...PROBLEMS },
    },
  };
}

/** Paths beside the operations of the REST contract. */
export function otherPaths(): Record<string, Record<string, Json>> {
  return {
    '/v1/chat/completions': {
      post: {
        tags: ['Chat'],
        summary: 'A chat completion of the upstream, with memory',
        description:
          'Needs the permission `chat`. OpenAI-compatible; answers and errors of the upstream come back as they are. `X-Factmill-Memory` says whether memory was `on`, `off` or `degraded`, `X-Factmill-Degraded` what of it was left out or not applied, as in a context. A whole answer names the memories that went into it (`memory_hits`). Errors of Factmill carry an `error` object as well.',
        operationId: 'createChatCompletion',
        requestBody: { required: true, ...json(CHAT_REQUEST) },
        responses: {
          200: {
            description: 'The upstream’s answer',
            content: {
              'application/json': { schema: { type: 'object' } },
              'text/event-stream': { schema: { type: 'string' } },
            },
          },
          ...CHAT_PROBLEMS,
        },
      },
    },
    '/mcp': {
      post: {
        tags: ['Tools'],
        summary: 'The memory tool for agents, by the Model Context Protocol over streamable HTTP',
        description:
          'Needs the permission `memory.read`; saving and forgetting need `memory.write` too. `Accept` names both `application/json` and `text/event-stream`.',
        operationId: 'callMcp',
        parameters: [
          {
            name: 'X-User-Id',
            in: 'header',
            required: false,
            description: 'Whose memory it is, where the API key does not say so.',
            schema: { type: 'string', maxLength: 256 },
          },
        ],
        requestBody: { required: true, ...json(MCP_MESSAGE) },
        responses: {
          200: {
            description: 'Its answer',
            content: {
              'application/json': { schema: { type: 'object' } },
              'text/event-stream': { schema: { type: 'string' } },
            },
          },
          202: { description: 'A notification was taken; it has no answer' },
          ...MCP_PROBLEMS,
        },
      },
    },
    '/console/session': sessionPath(),
    '/health': { get: probe('getHealth', 'Basic configuration, and what does not work', { 200: 'Serving' }) },
    '/healthz': {
      get: probe('getLiveness', 'Whether the process should be left running', {
        200: 'Alive',
        503: 'To be restarted',
      }),
    },
    '/readyz': {
      get: probe('getReadiness', 'Whether requests can be served', {
        200: 'Ready',
        503: 'Not ready, with what is missing',
      }),
    },
  };
}
