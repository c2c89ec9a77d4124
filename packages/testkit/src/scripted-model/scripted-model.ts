import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { chatBody, chatChunks, embeddingsBody, errorBody, MODELS_BODY } from './bodies.ts';
import {
  parseModelScript,
  type ReplyFunction,
  type ScriptedReply,
  type ScriptedRequest,
  toReplyFunction,
} from './reply.ts';

export type ScriptedModelOptions = Readonly<{
  /** Default 0: any free port. */
  port?: number;
  reply?: ReplyFunction;
  /** Size of the vectors unless a request asks for another. Default 256. */
  dimensions?: number;
}>;

export type ScriptedModel = Readonly<{
  /** Base URL for clients, ends in `/v1`. */
  url: string;
  port: number;
  /** Every request to an OpenAI path since the last `reset`, in order of arrival. */
  calls: readonly ScriptedRequest[];
  /** How many of them asked for a chat completion. */
  callCount: number;
  setReply: (reply: ReplyFunction) => void;
  /** Forgets the calls and goes back to the default reply. */
  reset: () => void;
  close: () => Promise<void>;
}>;

const ENDPOINTS: Readonly<Record<string, ScriptedRequest['endpoint']>> = {
  '/v1/chat/completions': 'chat',
  '/v1/embeddings': 'embeddings',
  '/v1/models': 'models',
};

/**
 * A real HTTP server that speaks `/v1/chat/completions` (whole or streamed), `/v1/embeddings` and `/v1/models`, on
 * 127.0.0.1. By default it finds simple facts in what the user wrote (`replyWithFacts`). A reply function makes
 * it misbehave; from another process `POST /__script` does (`ModelScript`), `GET /__calls` returns
 * `{chat, embeddings, chatAtMs}` (counts, and when each chat call came), `POST /__reset` starts over.
 */
export async function createScriptedModel(options: ScriptedModelOptions = {}): Promise<ScriptedModel> {
  const { port = 0, reply: initialReply = () => undefined, dimensions = 256 } = options;
  const calls: ScriptedRequest[] = [];
  let reply = initialReply;
  const reset = (): void => {
    calls.length = 0;
    reply = initialReply;
  };
  const countOf = (endpoint: ScriptedRequest['endpoint']): number =>
    calls.filter((call) => call.endpoint === endpoint).length;

  const control = (path: string, text: string, response: ServerResponse): void => {
    if (path === '/__calls')
      return sendJson(response, 200, {
        chat: countOf('chat'),
        embeddings: countOf('embeddings'),
        chatAtMs: calls.filter(({ endpoint }) => endpoint === 'chat').map((call) => call.receivedAtMs),
      });
    if (path === '/__reset') reset();
    else if (path !== '/__script') return sendJson(response, 404, errorBody(404));
    else {
      try {
        reply = toReplyFunction(parseModelScript(JSON.parse(text)));
      } catch (error) {
        return sendJson(response, 400, { error: { message: String(error) } });
      }
    }
    sendJson(response, 200, { ok: true });
  };

  const handle = async (incoming: IncomingMessage, response: ServerResponse): Promise<void> => {
    const path = new URL(incoming.url ?? '/', 'http://localhost').pathname;
    const text = await readText(incoming);
    const endpoint = ENDPOINTS[path];
    if (!endpoint) return control(path, text, response);
    const body = parseObject(text);
    if (!body) return sendJson(response, 400, errorBody(400));
    const request = {
      endpoint,
      headers: incoming.headers,
      body,
      userText: lastUserText(body),
      receivedAtMs: Date.now(),
    };
    calls.push(request);
    await answer(request, reply(request) ?? {}, response, dimensions);
  };

  const server = createServer((incoming, response) => {
    handle(incoming, response).catch((error: unknown) => {
      // A client that went away in the middle is part of many tests; anything else is a mistake in the script.
      if (!response.destroyed)
        sendJson(response, 500, { error: { message: `the script failed: ${String(error)}` } });
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
  const address = server.address();
  const boundPort = typeof address === 'object' && address ? address.port : port;

  return {
    url: `http://127.0.0.1:${boundPort}/v1`,
    port: boundPort,
    calls,
    get callCount() {
      return countOf('chat');
    },
    setReply: (next) => {
      reply = next;
    },
    reset,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function answer(
  request: ScriptedRequest,
  reply: ScriptedReply,
  response: ServerResponse,
  dimensions: number,
): Promise<void> {
  const gone = new AbortController();
  response.once('close', () => gone.abort());
  if (reply.delayMs) await delay(reply.delayMs, undefined, { signal: gone.signal });
  if (reply.hang) return;
  if (reply.destroy === true) {
    response.destroy();
    return;
  }
  const status = reply.status ?? 200;
  const plain = status === 200 && reply.body === undefined && !reply.destroy;
  if (request.endpoint === 'chat' && request.body['stream'] === true && plain) {
    response.writeHead(200, { 'content-type': 'text/event-stream', ...reply.headers });
    for (const chunk of chatChunks(request, reply)) response.write(`data: ${JSON.stringify(chunk)}\n\n`);
    response.end('data: [DONE]\n\n');
    return;
  }
  const body = reply.body ?? (status >= 400 ? errorBody(status) : defaultBody(request, reply, dimensions));
  const sent = Buffer.from(
    typeof body === 'string' || body instanceof Uint8Array ? body : JSON.stringify(body),
  );
  response.writeHead(status, {
    'content-type': 'application/json',
    'content-length': sent.length,
    ...reply.headers,
  });
  if (reply.destroy !== 'half') response.end(sent);
  else response.write(sent.subarray(0, sent.length / 2), () => response.destroy());
}

function defaultBody(request: ScriptedRequest, reply: ScriptedReply, dimensions: number): unknown {
  if (request.endpoint === 'models') return MODELS_BODY;
  return request.endpoint === 'chat' ? chatBody(request, reply) : embeddingsBody(request, dimensions);
}

function sendJson(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

async function readText(incoming: IncomingMessage): Promise<string> {
  incoming.setEncoding('utf8');
  let text = '';
  for await (const chunk of incoming) text += String(chunk);
  return text;
}

function parseObject(text: string): Record<string, unknown> | undefined {
  if (text === '') return {};
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : undefined;
  } catch {
    return undefined;
  }
}

function lastUserText(body: Readonly<Record<string, unknown>>): string {
  const messages: { role?: unknown; content?: unknown }[] = Array.isArray(body['messages'])
    ? body['messages']
    : [];
  const content = messages.findLast((message) => message?.role === 'user')?.content;
  return typeof content === 'string' ? content : '';
}
