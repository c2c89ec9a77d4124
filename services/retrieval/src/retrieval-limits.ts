import { authentication, readForwardedSession } from '@factmill/auth';
import type { Config } from '@factmill/config';
import { asTenant } from '@factmill/database';
import {
  afterGoneMs,
  createAuthenticationGuard,
  createCountLimited,
  createFairQueue,
  createTenantActivity,
  takeTurns,
  watchQueues,
} from '@factmill/limits';
import type { Access } from '@factmill/runtime';
import type { RequestHandler } from 'express';

export type RetrievalLimits = Readonly<{
  authenticate: RequestHandler;
  /** Middleware before the handlers, after `authenticate` and after the body is read. */
  afterBody: RequestHandler[];
  close: () => void;
}>;

/** A search keeps about as much of a processor busy as half a pool connection. */
const SEARCHES_PER_CONNECTION = 0.5;
/** Embedded storage runs one statement at a time, whatever the size of the pool, and accepting needs its share. */
const EMBEDDED_CONNECTIONS = 1;
/** With a remote model, searches spend most of their time waiting for it, so this many times more may run at once. */
const WAITING_FOR_MODELS = 8;
const SHARE = 0.4;
/** After this long without requests, a tenant's share goes to the others. */
const ACTIVE_MS = 30_000;

/**
 * Keeps the searches of one tenant from delaying those of others (docs/access.md, Limits and fairness). The gateway
 * limits the rates of keys and tenants, because requests enter there.
 */
export function createRetrievalLimits(
  deps: Readonly<{ config: Config; authenticator: Access }>,
): RetrievalLimits {
  const { config } = deps;
  const now = () => performance.now();
  const count = createCountLimited('retrieval');
  const slots = searchSlots(config);
  const searching = createFairQueue({
    slots,
    share: Math.floor(slots * SHARE),
    activity: createTenantActivity(ACTIVE_MS, now),
    maxWaiting: 500,
    // Less than the gateway's timeout for an answer.
    maxWaitMs: 10_000,
  });
  const gauges = watchQueues('retrieval', { searching });
  const guard = createAuthenticationGuard({ maxFailures: config.limits.authFailuresPerMinute, count, now });
  return {
    // The gateway passes sessions on. Nothing changes here, whoever asks.
    authenticate: authentication(deps.authenticator, guard, asTenant, {
      check: deps.authenticator.sessions.check,
      tokenOf: (request) => (config.console.isEnabled ? readForwardedSession(request) : null),
    }),
    afterBody: [
      takeTurns({
        queueOf: () => searching,
        afterGoneMs: afterGoneMs(config.storage.statementTimeoutsMs.search),
        count,
      }),
    ],
    close: gauges.close,
  };
}

/** How many searches run at once in one process. */
export function searchSlots({
  storage,
  embedding,
  retrieval,
}: Readonly<{
  storage: Pick<Config['storage'], 'databaseUrl' | 'poolMax'>;
  embedding: Pick<Config['embedding'], 'provider'>;
  retrieval: Readonly<{ rerank: Pick<Config['retrieval']['rerank'], 'provider'> }>;
}>): number {
  const callsModels =
    embedding.provider === 'openai' || !['none', 'onnx'].includes(retrieval.rerank.provider);
  const connections = storage.databaseUrl === null ? EMBEDDED_CONNECTIONS : storage.poolMax;
  return Math.ceil(connections * SEARCHES_PER_CONNECTION * (callsModels ? WAITING_FOR_MODELS : 1));
}
