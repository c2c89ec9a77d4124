import { createHash } from 'node:crypto';
import {
  closeBreaker,
  enterProvider,
  openBreaker,
  type ProviderEntry,
  readBreaker,
  type Sql,
} from '@factmill/database';
import type { AppError } from '@factmill/errors';
import type { Logger } from '@factmill/telemetry';

/**
 * The circuit breaker of one provider. Its state is in the database, so that all workers share it: while the provider
 * is down there is one try of it per interval, whoever makes it, and none before its Retry-After.
 */
export type ProviderBreaker = Readonly<{
  provider: string;
  probeIntervalMs: number;
  /** Asks to make a call outside of a claim. In good times that costs one look at the database a second. */
  enter: () => Promise<ProviderEntry>;
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

/** How long a provider that was seen to work is taken to. */
const TRUSTED_MS = 1_000;

/** The name of a provider: what it is for and where, without naming the place. */
export function providerName(kind: 'llm' | 'embedding', baseUrl: string): string {
  return `${kind}:${createHash('sha256').update(baseUrl).digest('hex').slice(0, 12)}`;
}

export function createProviderBreaker(provider: string, deps: ProviderBreakerDeps): ProviderBreaker {
  const { database, probeIntervalMs } = deps;
  let trustedUntilMs = 0;
  return {
    provider,
    probeIntervalMs,
    async enter() {
      if (deps.now() < trustedUntilMs) return { kind: 'works' };
      const entry = await enterProvider(database, provider, probeIntervalMs);
      if (entry.kind === 'works') trustedUntilMs = deps.now() + TRUSTED_MS;
      return entry;
    },
    read: () => readBreaker(database, provider),
    async failed({ error, waitMs, isProbe, extractionId }) {
      trustedUntilMs = 0;
      const reason = error.code.replace(/^model_/, '');
      return openBreaker(database, { provider, reason, waitMs, isProbe, extractionId });
    },
    async answered() {
      if (!(await closeBreaker(database, provider))) return;
      deps.logger.info({ provider }, 'the provider works again');
      await deps.onClosed?.();
    },
  };
}
