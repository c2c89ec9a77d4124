import type { Permit } from '@factmill/database';
import { type AppError, isAppError } from '@factmill/errors';
import type { Logger } from '@factmill/telemetry';
import type { Breaker } from './breaker.ts';
import { createFailureHistory, type FailurePattern } from './failure-history.ts';

/** The state of a provider after a failed call: as seen by this process and by all workers. */
export type ProviderState = FailurePattern &
  Readonly<{
    /** The breaker is open. */
    isDown: boolean;
  }>;

/** The breaker of a model provider for claimed runs, which are named by their ids. */
export type RunBreaker = Readonly<{
  /** Null for rules, which have no provider. */
  breaker: Breaker | null;
  /** A run begins; `isProbe`: its claim brought the permit to probe. */
  started: (claim: Readonly<{ id: string; isProbe?: boolean }>) => void;
  ended: (runId: string) => void;
  /** Asks for a permit for the next call of a run. */
  acquire: (runId: string) => Promise<Permit>;
  /** Whether the run's current call is a probe. */
  isProbe: (runId: string) => boolean;
  /** The provider answered this run, with any reply. Never rejects. */
  answered: (runId: string) => Promise<void>;
  /** A run failed with an error that blames the provider. */
  failed: (runId: string) => Promise<ProviderState>;
  /** The failure is an outage: no calls for `waitMs`. Resolves to the time until the next probe. */
  trip: (runId: string, error: AppError, state: ProviderState, waitMs: number) => Promise<number>;
  /** A claim was denied because the breaker is open. */
  denied: () => void;
}>;

/**
 * The breaker of a model provider for claimed runs: combines the shared state with this process's failure history.
 */
export function createRunBreaker(deps: { breaker: Breaker | null; logger: Logger }): RunBreaker {
  const { breaker } = deps;
  const history = createFailureHistory();
  const probes = new Set<string>();
  return {
    breaker,
    started({ id, isProbe = false }) {
      history.started(id);
      if (isProbe) probes.add(id);
    },
    ended(runId) {
      history.ended(runId);
      probes.delete(runId);
    },
    async acquire(runId) {
      const permit: Permit = (await breaker?.acquire()) ?? { kind: 'granted' };
      if (permit.kind === 'denied') history.blameProvider();
      if (permit.kind === 'probe') probes.add(runId);
      else probes.delete(runId);
      return permit;
    },
    isProbe: (runId) => probes.has(runId),
    async answered(runId) {
      history.answered(runId);
      if (!probes.has(runId)) return;
      try {
        await breaker?.reset();
        probes.delete(runId);
      } catch (error) {
        // The next answer closes the breaker.
        const code = isAppError(error) ? error.code : 'internal';
        deps.logger.warn({ code }, 'the breaker of a provider that works again could not be closed');
      }
    },
    async failed(runId) {
      const known = (await breaker?.read()) ?? { isOpen: false, failures: 0 };
      const pattern = history.failed(runId);
      return {
        ...pattern,
        failuresInRow: known.isOpen ? known.failures + 1 : pattern.failuresInRow,
        isDown: known.isOpen,
      };
    },
    async trip(runId, error, state, waitMs) {
      history.blameProvider();
      if (breaker === null) return waitMs;
      const isProbe = probes.has(runId);
      // The failure of a call that began before the outage is no news, unless the provider gave a time.
      const isNews = isProbe || !state.isDown;
      return breaker.trip({
        error,
        waitMs: isNews ? Math.max(waitMs, breaker.probeIntervalMs) : (error.retryAfterSeconds ?? 0) * 1_000,
        isProbe,
        runId,
      });
    },
    denied: () => history.blameProvider(),
  };
}
