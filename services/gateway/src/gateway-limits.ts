import type { Latest } from '@factmill/async';
import { authentication, type Authenticator, principalOf, type SessionAccess } from '@factmill/auth';
import type { Config, LimitsConfig } from '@factmill/config';
import { asTenant } from '@factmill/database';
import {
  afterGoneMs,
  createAuthenticationGuard,
  createCountLimited,
  createFairQueue,
  createTenantActivity,
  createRateLimit,
  createRates,
  takeTurns,
  type TenantRates,
  watchQueues,
} from '@factmill/limits';
import { closeRedis, openLimitsRedis } from '@factmill/limits/redis';
import type { TenantLimits } from '@factmill/database';
import type { RequestHandler } from 'express';
import { MAX_ACCEPTING_AT_ONCE } from './accepting/accept.ts';

export type GatewayLimits = Readonly<{
  /** Authenticates the caller by a key. */
  authenticate: RequestHandler;
  /** Authenticates the caller by a key, or by a session of the console. */
  authenticateSession: RequestHandler;
  /** Middleware for every request with a key before its body is read. Must come after `authenticate`. */
  beforeBody: RequestHandler[];
  /** Middleware after the body is read, before the handler. */
  afterBody: RequestHandler[];
  /** Further middleware for chats before the body is read: waits for a turn to prepare. */
  chatTurn: RequestHandler;
  /** Waits for a turn for a tenant's work outside the middleware; the result ends the turn. */
  takeTurn: (tenantId: string) => Promise<() => void>;
  close: () => void;
}>;

/** Connections reserved for accepting, key look-ups and health. */
const CONNECTIONS_LEFT = 3;
/** The share that one tenant may use while others are active. */
const SHARE = 0.4;
/**
 * Chats load the process, not the database: with hundreds per second of one tenant, the others' chats wait at every
 * step. So each chat takes a slot for about as long as its request needs to get upstream, and no longer when memory
 * hangs or the upstream is slow.
 */
const CHATS = { slots: 64, share: 1 } as const;
const CHAT_TURN_MS = 50;
/** A tenant without requests for this long leaves its share to the others. */
const ACTIVE_MS = 30_000;
const WAITING = { maxWaiting: 500, maxWaitMs: 10_000 } as const;

/**
 * Keeps one caller from using up what all share (docs/access.md, Limits and fairness). Messages are accepted through
 * a queue of their own, so that no other work delays them.
 */
export function createGatewayLimits(
  deps: Readonly<{
    config: Config;
    authenticator: Authenticator;
    /** Where sessions are accepted. */
    sessions: SessionAccess;
    /** Rates that differ from those of the deployment, by tenant. */
    tenantLimits: Latest<ReadonlyMap<string, TenantLimits>>;
    limitsAnswerMs?: number | undefined;
  }>,
): GatewayLimits {
  const { config } = deps;
  const { queuePrefix, poolMax, statementTimeoutsMs } = config.storage;
  const now = () => performance.now();
  const count = createCountLimited('gateway');
  const address = config.storage.redis;
  const redis = address === null ? null : openLimitsRedis(address, deps.limitsAnswerMs);
  const rateLimit = createRateLimit({
    rates: createRates({ redis, keyPrefix: queuePrefix, now }),
    ratesOf: (tenantId) => {
      // The answer counts for the next request; none waits for it.
      void deps.tenantLimits.read();
      return ratesOf(config.limits, deps.tenantLimits.known().get(tenantId));
    },
    isOpen: config.auth.mode === 'none',
    count,
  });
  const slots = Math.max(1, poolMax - CONNECTIONS_LEFT);
  // One tracker for all queues: a tenant that only searches also needs the process.
  const activity = createTenantActivity(ACTIVE_MS, now);
  const queueOf = (size: Readonly<{ slots: number; share: number }>) =>
    createFairQueue({ ...WAITING, ...size, activity });
  const working = queueOf({ slots, share: Math.floor(slots * SHARE) });
  const accepting = queueOf({
    slots: MAX_ACCEPTING_AT_ONCE,
    share: Math.floor(MAX_ACCEPTING_AT_ONCE * SHARE),
  });
  const chatting = queueOf(CHATS);
  const gauges = watchQueues('gateway', { working, accepting, chatting });
  const guard = createAuthenticationGuard({
    maxFailures: config.limits.authFailuresPerMinute,
    count,
    now,
  });
  return {
    authenticate: authentication(deps.authenticator, guard, asTenant),
    authenticateSession: authentication(deps.authenticator, guard, asTenant, deps.sessions),
    beforeBody: [
      rateLimit.limit,
      (_request, response, next) => {
        activity.note(principalOf(response).tenantId);
        next();
      },
    ],
    afterBody: [
      rateLimit.limitByBody,
      takeTurns({
        queueOf: (work) => {
          if (work === 'accept') return accepting;
          // Searches wait in the retrieval service instead.
          return work === 'search' || work === 'heavy_search' ? null : working;
        },
        afterGoneMs: afterGoneMs(
          statementTimeoutsMs.list,
          statementTimeoutsMs.accept,
          statementTimeoutsMs.batch,
        ),
        count,
      }),
    ],
    chatTurn: async (_request, response, next) => {
      const gone = new AbortController();
      response.once('close', () => {
        gone.abort();
      });
      const { tenantId } = principalOf(response);
      const release = await chatting.acquire(tenantId, 1, gone.signal).catch((error: unknown) => {
        if (!gone.signal.aborted) count('overload', 'chat');
        throw error;
      });
      setTimeout(release, CHAT_TURN_MS).unref();
      next();
    },
    async takeTurn(tenantId) {
      return working.acquire(tenantId).catch((error: unknown) => {
        count('overload', 'tool');
        throw error;
      });
    },
    close() {
      gauges.close();
      if (redis !== null) closeRedis(redis);
    },
  };
}

/** The rates of a tenant: its own, else those of the deployment. */
function ratesOf(
  { keyPerSecond, tenantPerSecond, burstSeconds }: LimitsConfig,
  own: TenantLimits = {},
): TenantRates {
  const rate = (perSecond: number) => (perSecond === 0 ? null : { perSecond, burstSeconds });
  return {
    key: rate(own.key_per_second ?? keyPerSecond),
    tenant: rate(own.tenant_per_second ?? tenantPerSecond),
  };
}
