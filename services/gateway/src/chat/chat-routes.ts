import { settlesWithin } from '@factmill/async';
import { requirePermission } from '@factmill/auth';
import type { UserDefaults } from '@factmill/database';
import { AppError } from '@factmill/errors';
import { type ByteBudget, requireJson } from '@factmill/http';
import type { Express, RequestHandler } from 'express';
import type { RouteDeps } from '../route-deps.ts';
import { chatCompletions } from './chat-completions.ts';
import { passThrough } from './pass-through.ts';
import { placeChat } from './place-chat.ts';
import { createFetchContext } from './fetch-context.ts';
import { isMemoryOn } from './is-memory-on.ts';
import { createStreamSlots } from '../stream-slots.ts';
import { createTurnStore } from './turn-store.ts';
import { isOwnPath } from './upstream-path.ts';
import { createUpstreams } from './upstreams.ts';

export type ChatProxy = Readonly<{
  /** Whether a path belongs to the upstream. */
  isUpstreamPath: (path: string) => boolean;
  /** Adds the proxy's routes; call before anything reads a body. */
  routes: (app: Express, budget: ByteBudget) => void;
  /** Resolves when all exchanges are stored. */
  close: () => Promise<void>;
}>;

/** A process has room for the chats of this many keys at their limit. */
const KEYS_AT_ONCE = 4;
/** Images take a while from a telephone. */
const CHAT_BODY_PATIENCE = 2;

/**
 * The OpenAI-compatible proxy: chat completions with memory, and other `/v1/…` paths as CHAT_PASS_THROUGH allows,
 * except paths that are ours or look like ours. Without an upstream chats and the list of models answer which setting is
 * missing.
 */
export function createChatProxy(deps: RouteDeps): ChatProxy {
  const { chat } = deps.config.gateway;
  const upstreams = createUpstreams(chat);
  const { adminKey } = deps.config.auth;
  const isOurKey = (token: string) => token.startsWith('fm_') || token === adminKey;
  const turnStore = createTurnStore(deps);
  const fetchContext = createFetchContext({
    retrieval: deps.retrieval,
    format: chat.contextFormat,
    timeoutMs: chat.memoryTimeoutMs,
    logger: deps.logger,
  });
  return {
    isUpstreamPath: (path) => /^\/v1\//i.test(path) && !isOwnPath(path),
    routes(app, budget) {
      const { admit, chatTurn } = deps;
      const mayChat = requirePermission('chat');
      const slots = createStreamSlots({
        of: 'chats',
        maxPerKey: chat.streamsPerKey,
        maxInAll: chat.streamsPerKey * KEYS_AT_ONCE,
      });
      if (upstreams === null) {
        app.post('/v1/chat/completions', admit, mayChat, notConfigured);
        // What clients of OpenAI ask first.
        app.get('/v1/models', admit, mayChat, notConfigured);
        return;
      }
      app.post(
        '/v1/chat/completions',
        admit,
        mayChat,
        slots,
        chatTurn,
        requireJson,
        chatCompletions({
          upstreams,
          fetchContext,
          turnStore,
          place: (placed) => placeChat(deps.database.list, placed),
          preset: deps.config.scheduling.preset,
          isMemoryOn: async (upstream, preset) => {
            // A database that hangs holds up a chat no longer than memory does.
            await settlesWithin(deps.settings.read(), chat.memoryTimeoutMs);
            return isMemoryOn(upstream, preset, deps.settings.known());
          },
          usage: deps.usage,
          defaultsOf: async (owner) => {
            let known: UserDefaults = { preset: null, memory: true };
            const asked = deps.userDefaults(owner).then(
              (found) => {
                known = found;
              },
              // Retrieval and accepting ask again before anything of the user is read or stored.
              () => undefined,
            );
            await settlesWithin(asked, chat.memoryTimeoutMs);
            return known;
          },
          defaultUserId: deps.config.auth.defaultUserId,
          isOurKey,
          maxBodyBytes: chat.maxBodyBytes,
          bodyTimeoutMs: deps.config.http.bodyTimeoutMs * CHAT_BODY_PATIENCE,
          budget,
        }),
      );
      const passOn = passThrough({ upstreams, configured: chat.passThrough, isOurKey });
      app.all('/v1/*path', ownFirst, admit, slots, passOn);
    },
    async close() {
      await turnStore.close();
      upstreams?.close();
    },
  };
}

const ownFirst: RequestHandler = (request, _response, next) => {
  next(isOwnPath(request.originalUrl) ? 'route' : undefined);
};

const notConfigured: RequestHandler = () => {
  throw new AppError(
    'upstream_not_configured',
    'No chat upstream is configured. Set CHAT_BASE_URL (or LLM_BASE_URL) of the gateway.',
  );
};
