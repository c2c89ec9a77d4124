import { type AppError, isAppError } from '@factmill/errors';
import type { Logger } from '@factmill/telemetry';
import type { ProviderBreaker } from './provider-breaker.ts';
import type { ProviderHealth, ProviderOutlook } from './provider-health.ts';

/** A claimed run, of an extraction or a compression; `isProbe`: its call is the one try of a provider that is down. */
export type Caller = Readonly<{ id: string; isProbe: boolean }>;

/** How the model provider is doing, told by the runs that call it. */
export type ProviderWatch = Readonly<{
  /** The breaker that a claim asks; null for rules, which have no provider. */
  breaker: ProviderBreaker | null;
  started: (claim: Caller) => void;
  ended: (claim: Caller) => void;
  /** The provider answered this run, whatever it said. Never rejects. */
  answered: (claim: Caller) => Promise<void>;
  /** A run failed with an error that blames the provider. */
  failed: (claim: Caller) => Promise<ProviderOutlook>;
  /** The failure is an outage: nobody asks for `waitMs`. Resolves to the time until the next try. */
  rest: (claim: Caller, error: AppError, outlook: ProviderOutlook, waitMs: number) => Promise<number>;
  /** A claim was refused because the provider is down. */
  refused: () => void;
}>;

export function createProviderWatch(deps: {
  health: ProviderHealth;
  breaker: ProviderBreaker | null;
  logger: Logger;
}): ProviderWatch {
  const { health, breaker } = deps;
  return {
    breaker,
    started: (claim) => health.started(claim.id),
    ended: (claim) => health.ended(claim.id),
    async answered(claim) {
      health.answered(claim.id);
      if (!claim.isProbe) return;
      try {
        await breaker?.answered();
      } catch (error) {
        // The next try that succeeds says it again.
        const code = isAppError(error) ? error.code : 'internal';
        deps.logger.warn({ code }, 'that the provider works again could not be noted');
      }
    },
    async failed(claim) {
      const known = (await breaker?.read()) ?? { isOpen: false, failures: 0 };
      const state = health.failed(claim.id);
      return {
        ...state,
        failuresInRow: known.isOpen ? known.failures + 1 : state.failuresInRow,
        isDown: known.isOpen,
      };
    },
    async rest(claim, error, outlook, waitMs) {
      health.isDown();
      if (breaker === null) return waitMs;
      // A call that was under way when the provider went down says nothing new, unless the provider named a time.
      const isNews = claim.isProbe || !outlook.isDown;
      return breaker.failed({
        error,
        waitMs: isNews ? Math.max(waitMs, breaker.probeIntervalMs) : (error.retryAfterSeconds ?? 0) * 1_000,
        isProbe: claim.isProbe,
        extractionId: claim.id,
      });
    },
    refused: () => health.isDown(),
  };
}
