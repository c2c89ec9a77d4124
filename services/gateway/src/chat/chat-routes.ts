import { OPERATIONS } from '@factmill/contracts';
import { AppError } from '@factmill/errors';
import { requireJson } from '@factmill/http';
import { type Express, raw, type RequestHandler } from 'express';
import type { IncomingHttpHeaders } from 'node:http';
import type { RouteDeps } from '../route-deps.ts';
import { chatCompletions } from './chat-completions.ts';
import { toUpstreamHeaders } from './proxy-headers.ts';
import { placeChat } from './place-chat.ts';
import { createRecall } from './recall.ts';
import { relay } from './relay.ts';
import { createRemember } from './remember.ts';
import { createUpstreams, type Upstreams } from './upstreams.ts';

export type ChatProxy = Readonly<{
  /** Whether a path is one of the upstream's, not of ours. */
  isUpstreamPath: (path: string) => boolean;
  /** Adds the proxy's routes; before anything reads a body. */
  routes: (app: Express) => void;
  /** Resolves when what passed through is stored. */
  close: () => Promise<void>;
}>;

/** First segments below `/v1` that are ours, whatever the method. */
const OWN_SEGMENTS = new Set(OPERATIONS.map(({ path }) => path.split('/')[2] ?? ''));

/**
 * The OpenAI-compatible proxy: chat completions with memory, and every other `/v1/…` path that is not ours as it is.
 * Without an upstream there is nothing at these paths, and the answer says what to set.
 */
export function createChatProxy(deps: RouteDeps): ChatProxy {
  const { chat } = deps.config.gateway;
  const upstreams = createUpstreams(chat);
  const { adminKey } = deps.config.auth;
  const isOurKey = (token: string) => token.startsWith('fm_') || token === adminKey;
  const remember = createRemember(deps);
  const recall = createRecall({
    retrievalUrl: deps.config.gateway.retrievalUrl,
    format: chat.contextFormat,
    timeoutMs: chat.memoryTimeoutMs,
    logger: deps.logger,
  });
  return {
    isUpstreamPath: (path) => /^\/v1\//i.test(path) && !isOwnPath(path),
    routes(app) {
      const { admit, chatTurn } = deps;
      if (upstreams === null) {
        app.post('/v1/chat/completions', admit, notConfigured);
        return;
      }
      app.post(
        '/v1/chat/completions',
        admit,
        chatTurn,
        requireJson,
        raw({ type: () => true, limit: chat.maxBodyBytes }),
        chatCompletions({
          upstreams,
          recall,
          remember,
          place: (placed) => placeChat(deps.database, placed),
          format: chat.contextFormat,
          defaultUserId: deps.config.auth.defaultUserId,
          isOurKey,
        }),
      );
      app.all('/v1/*path', ownFirst, admit, passThrough(upstreams, isOurKey));
    },
    async close() {
      await remember.close();
      upstreams?.close();
    },
  };
}

const ownFirst: RequestHandler = (request, _response, next) => {
  // In any case: so does the router match them.
  next(isOwnPath(request.path) ? 'route' : undefined);
};

function isOwnPath(path: string): boolean {
  return OWN_SEGMENTS.has((path.split('/')[2] ?? '').toLowerCase());
}

const notConfigured: RequestHandler = () => {
  throw new AppError(
    'upstream_not_configured',
    'No chat upstream is configured. Set CHAT_BASE_URL (or LLM_BASE_URL) of the gateway.',
  );
};

/** Any other path of the upstream: both bodies are streamed, nothing is read. */
function passThrough(upstreams: Upstreams, isOurKey: (token: string) => boolean): RequestHandler {
  return async (request, response) => {
    const path = request.originalUrl.replace(/^\/v1/, '');
    if (/(?:^|\/)(?:\.|%2e){1,2}(?:\/|$)/i.test(path.split('?', 1)[0] ?? '')) {
      throw new AppError('invalid_request', 'The path may not have . or .. in it.');
    }
    const gone = new AbortController();
    response.once('close', () => gone.abort());
    try {
      const answer = await upstreams.ofModel('').client.send({
        method: request.method,
        path,
        headers: toUpstreamHeaders(request.headers, isOurKey),
        body: hasBody(request.headers) ? request : null,
        signal: gone.signal,
      });
      await relay(answer, response, null);
    } catch (error) {
      // Nobody is left to be told, and it is no fault of anybody's.
      if (!gone.signal.aborted) throw error;
    }
  };
}

function hasBody(headers: IncomingHttpHeaders): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}
