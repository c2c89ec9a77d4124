import { createHash } from 'node:crypto';
import {
  acquirePermit,
  closeBreaker,
  openBreaker,
  type Permit,
  readBreaker,
  type Sql,
} from '@factmill/database';
import { AppError, isAppError } from '@factmill/errors';
import type { ChatModel } from '@factmill/models';
import type { Logger } from '@factmill/telemetry';
import { blamesProvider } from './error-treatments.ts';

/**
 * The circuit breaker of one provider. Its state is in the database, so that all workers share it.
 * - closed: every call gets a permit
 * - open: calls are denied, until the provider's Retry-After or the probe interval is over
 * - half-open: one call of all workers is the probe; its answer closes the breaker, its failure opens it again
 */
export type Breaker = Readonly<{
  provider: string;
  probeIntervalMs: number;
  /** Asks for a permit for a call. While the breaker is closed, this reads the database at most once a second. */
  acquire: () => Promise<Permit>;
  /** Whether the provider is down; uses up no permit. */
  isOpen: () => Promise<boolean>;
  /** Whether the provider is known to be down, and the failed probes in a row. */
  read: () => ReturnType<typeof readBreaker>;
  /**
   * Reports a failure that blames the provider: opens the breaker, or keeps it open. Resolves to the time until the
   * next probe.
   */
  trip: (failure: ProviderFailure) => Promise<number>;
  /** Reports a successful probe: closes the breaker. */
  reset: () => Promise<void>;
}>;

type ProviderFailure = Readonly<{
  error: AppError;
  /** How long no calls should be made. */
  waitMs: number;
  isProbe: boolean;
  /** The claimed run that made the call; null for other calls. */
  runId: string | null;
}>;

export type BreakerDeps = Readonly<{
  database: Sql;
  logger: Logger;
  /** Milliseconds. */
  now: () => number;
  probeIntervalMs: number;
  /** Called when the provider works again. */
  onClosed?: () => Promise<void>;
}>;

/** How long the last known state of a provider counts. */
const TRUSTED_MS = 1_000;

/** The name of a provider: its purpose and a hash of its address. */
export function providerName(kind: 'llm' | 'embedding', baseUrl: string): string {
  return `${kind}:${createHash('sha256').update(baseUrl).digest('hex').slice(0, 12)}`;
}

export function createBreaker(provider: string, deps: BreakerDeps): Breaker {
  const { database, probeIntervalMs } = deps;
  let seen = { isOpen: false, untilMs: 0 };
  const see = (isOpen: boolean): void => {
    seen = { isOpen, untilMs: deps.now() + TRUSTED_MS };
  };
  return {
    provider,
    probeIntervalMs,
    async acquire() {
      if (!seen.isOpen && deps.now() < seen.untilMs) return { kind: 'granted' };
      const permit = await acquirePermit(database, provider, probeIntervalMs);
      see(permit.kind !== 'granted');
      return permit;
    },
    async isOpen() {
      if (deps.now() >= seen.untilMs) see((await readBreaker(database, provider)).isOpen);
      return seen.isOpen;
    },
    read: () => readBreaker(database, provider),
    async trip({ error, waitMs, isProbe, runId }) {
      see(true);
      const reason = error.code.replace(/^model_/, '');
      return openBreaker(database, { provider, reason, waitMs, isProbe, extractionId: runId });
    },
    async reset() {
      see(false);
      if (!(await closeBreaker(database, provider))) return;
      deps.logger.info({ provider }, 'the provider works again');
      await deps.onClosed?.();
    },
  };
}

export type CallOptions = Readonly<{
  /** Whether this call may probe a provider that is down. */
  mayProbe: boolean;
  /**
   * Whether a single failure that one bad request can also cause (a 5xx, a time-out) trips the breaker. If not,
   * callers that see several calls decide.
   */
  trustsOneFailure: boolean;
}>;

/**
 * Makes a call that has no permit yet, unless the provider is down. A failure that blames the provider trips the
 * breaker.
 *
 * @throws AppError `embedding_unavailable` or `model_transient` when the permit is denied; errors of the call
 */
export async function callThrough<T>(
  breaker: Breaker,
  { mayProbe, trustsOneFailure }: CallOptions,
  call: () => Promise<T>,
): Promise<T> {
  const permit = await acquire(breaker, mayProbe);
  if (permit.kind === 'denied') throw deniedError(breaker.provider, permit.waitMs);
  const isProbe = permit.kind === 'probe';
  let result: T;
  try {
    result = await call();
  } catch (error) {
    if (isAppError(error)) await report(error, isProbe);
    throw error;
  }
  if (isProbe) await breaker.reset();
  return result;

  async function report(error: AppError, isProbe: boolean): Promise<void> {
    const namedMs = (error.retryAfterSeconds ?? 0) * 1_000;
    const isProof = error.code !== 'model_transient' || namedMs > 0 || trustsOneFailure || isProbe;
    if (blamesProvider(error.code)) {
      const waitMs = Math.max(breaker.probeIntervalMs, namedMs);
      if (isProof) await breaker.trip({ error, waitMs, isProbe, runId: null });
    } else if (isProbe && error.code.startsWith('model_')) {
      // The provider works, and refuses this request.
      await breaker.reset();
    }
  }
}

/**
 * The model for calls without a permit from a claim: further calls of an extraction, which may come much later or in
 * another run, and calls of other work. While the provider is down they throw `model_transient` with the time until
 * the next probe; one of them may be that probe.
 */
export function guardChatModel(model: ChatModel, breaker: Breaker): ChatModel {
  return {
    get name() {
      return model.name;
    },
    complete: (request) =>
      callThrough(breaker, { mayProbe: true, trustsOneFailure: false }, () => model.complete(request)),
    close: model.close,
  };
}

async function acquire(breaker: Breaker, mayProbe: boolean): Promise<Permit> {
  if (mayProbe) return breaker.acquire();
  return (await breaker.isOpen()) ? { kind: 'denied', waitMs: breaker.probeIntervalMs } : { kind: 'granted' };
}

function deniedError(provider: string, waitMs: number): AppError {
  return new AppError(
    provider.startsWith('embedding:') ? 'embedding_unavailable' : 'model_transient',
    'The provider is down; it is tried again later.',
    { retryAfterSeconds: Math.ceil(waitMs / 1_000) },
  );
}
