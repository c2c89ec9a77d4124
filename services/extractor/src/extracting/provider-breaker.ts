import { createHash } from 'node:crypto';
import {
  closeBreaker,
  enterProvider,
  openBreaker,
  type ProviderEntry,
  readBreaker,
  type Sql,
} from '@factmill/database';
import { AppError, isAppError } from '@factmill/errors';
import type { Logger } from '@factmill/telemetry';
import { blamesProvider } from './decide-retry.ts';

/**
 * The circuit breaker of one provider. Its state is in the database, so that all workers share it: while the provider
 * is down there is one try of it per interval, whoever makes it, and none before its Retry-After.
 */
export type ProviderBreaker = Readonly<{
  provider: string;
  probeIntervalMs: number;
  /** Asks to make a call outside of a claim. In good times that costs one look at the database a second. */
  enter: () => Promise<ProviderEntry>;
  /** Whether the provider is down; asks for no try of it. */
  isOpen: () => Promise<boolean>;
  /** Whether the provider is known to be down, and the failed tries in a row. */
  read: () => ReturnType<typeof readBreaker>;
  /** A call failed that blames the provider: opens the breaker, or keeps it open. Resolves to the time until the next try. */
  failed: (failure: ProviderFailure) => Promise<number>;
  /** A try succeeded. */
  answered: () => Promise<void>;
}>;

export type ProviderFailure = Readonly<{
  error: AppError;
  /** How long to leave the provider alone. */
  waitMs: number;
  isProbe: boolean;
  extractionId: string | null;
}>;

export type ProviderBreakerDeps = Readonly<{
  database: Sql;
  logger: Logger;
  /** Milliseconds. */
  now: () => number;
  probeIntervalMs: number;
  /** Called when the provider works again. */
  onClosed?: () => Promise<void>;
}>;

/** How long what was last seen of a provider is taken for true. */
const TRUSTED_MS = 1_000;

/** The name of a provider: what it is for and where, without naming the place. */
export function providerName(kind: 'llm' | 'embedding', baseUrl: string): string {
  return `${kind}:${createHash('sha256').update(baseUrl).digest('hex').slice(0, 12)}`;
}

export function createProviderBreaker(provider: string, deps: ProviderBreakerDeps): ProviderBreaker {
  const { database, probeIntervalMs } = deps;
  let seen = { isOpen: false, untilMs: 0 };
  const see = (isOpen: boolean): void => {
    seen = { isOpen, untilMs: deps.now() + TRUSTED_MS };
  };
  return {
    provider,
    probeIntervalMs,
    async enter() {
      if (!seen.isOpen && deps.now() < seen.untilMs) return { kind: 'works' };
      const entry = await enterProvider(database, provider, probeIntervalMs);
      see(entry.kind !== 'works');
      return entry;
    },
    async isOpen() {
      if (deps.now() >= seen.untilMs) see((await readBreaker(database, provider)).isOpen);
      return seen.isOpen;
    },
    read: () => readBreaker(database, provider),
    async failed({ error, waitMs, isProbe, extractionId }) {
      see(true);
      const reason = error.code.replace(/^model_/, '');
      return openBreaker(database, { provider, reason, waitMs, isProbe, extractionId });
    },
    async answered() {
      see(false);
      if (!(await closeBreaker(database, provider))) return;
      deps.logger.info({ provider }, 'the provider works again');
      await deps.onClosed?.();
    },
  };
}

export type CallOptions = Readonly<{
  /** Whether this call may be the try of a provider that is down. */
  mayProbe: boolean;
  /**
   * Whether one failure of the kind that a single bad request can cause as well (a 5xx, a time-out) is proof enough of an
   * outage. Where it is not, it is left to the callers, who see more than one call.
   */
  trustsOneFailure: boolean;
}>;

/**
 * Makes a call that no claim has asked for, unless the provider is down. A failure that blames the provider opens the
 * breaker.
 *
 * @throws AppError `embedding_unavailable` or `model_transient` when the provider rests; what the call throws
 */
export async function callThrough<T>(
  breaker: ProviderBreaker,
  { mayProbe, trustsOneFailure }: CallOptions,
  call: () => Promise<T>,
): Promise<T> {
  const entry = await ask(breaker, mayProbe);
  if (entry.kind === 'rests') throw restingError(breaker.provider, entry.waitMs);
  const isProbe = entry.kind === 'probe';
  let result: T;
  try {
    result = await call();
  } catch (error) {
    if (isAppError(error)) await report(error, isProbe);
    throw error;
  }
  if (isProbe) await breaker.answered();
  return result;

  async function report(error: AppError, isProbe: boolean): Promise<void> {
    const namedMs = (error.retryAfterSeconds ?? 0) * 1_000;
    const isProof = error.code !== 'model_transient' || namedMs > 0 || trustsOneFailure || isProbe;
    if (blamesProvider(error.code)) {
      const waitMs = Math.max(breaker.probeIntervalMs, namedMs);
      if (isProof) await breaker.failed({ error, waitMs, isProbe, extractionId: null });
    } else if (isProbe && error.code.startsWith('model_')) {
      // It is there, and does not like what it was asked.
      await breaker.answered();
    }
  }
}

async function ask(breaker: ProviderBreaker, mayProbe: boolean): Promise<ProviderEntry> {
  if (mayProbe) return breaker.enter();
  return (await breaker.isOpen()) ? { kind: 'rests', waitMs: breaker.probeIntervalMs } : { kind: 'works' };
}

function restingError(provider: string, waitMs: number): AppError {
  return new AppError(
    provider.startsWith('embedding:') ? 'embedding_unavailable' : 'model_transient',
    'The provider is down; it is tried again later.',
    { retryAfterSeconds: Math.ceil(waitMs / 1_000) },
  );
}
