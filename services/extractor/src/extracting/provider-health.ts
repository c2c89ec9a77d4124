/** Remembers how the provider has been doing, so that one bad conversation and an outage can be told apart. */
export type ProviderHealth = Readonly<{
  /** A run of an extraction begins, whose calls count as started now. */
  started: (extractionId: string) => void;
  /** It is over. */
  ended: (extractionId: string) => void;
  /** The provider answered it, whatever it said. */
  answered: (extractionId: string) => void;
  /** Records a failure of a run that blames the provider, and says how it looks. */
  failed: (extractionId: string) => ProviderState;
  /** The provider is known to be down: what failed until now was its fault, not that of an extraction. */
  isDown: () => void;
}>;

export type ProviderState = Readonly<{
  /** Rounds of failures in a row, this one included. Failures of calls that ran side by side are one round. */
  failuresInRow: number;
  /**
   * Whether the provider answered a call that started after this extraction last failed: then the fault is with this one.
   * An answer to a call that was under way already proves nothing: an outage may have begun since.
   */
  othersSucceed: boolean;
  /** Whether another extraction has failed too since the provider last answered any. */
  othersFail: boolean;
  /** Failures of this extraction since the provider last answered it. */
  ownFailures: number;
}>;

/** What a failure looks like with all that is known: in this process, and by all workers. */
export type ProviderOutlook = ProviderState &
  Readonly<{
    /** The provider is known to be down. */
    isDown: boolean;
  }>;

/** Ids remembered at most; beyond that the oldest is forgotten, which only delays the end of one that will not work. */
const REMEMBERED = 10_000;

/** Creates the memory of one process. */
export function createProviderHealth(): ProviderHealth {
  /** Runs are numbered in the order of their start. */
  let latest = 0;
  const running = new Map<string, number>();
  let failuresInRow = 0;
  /** The last run that had started when the last round of failures was counted. */
  let roundEnd = 0;
  /** The youngest run that was answered. */
  let answeredUpTo = 0;
  /** Extraction → the last run that had started when it last failed. */
  const failedAt = new Map<string, number>();
  /** Extraction → its failures since it was last answered; an outage does not end the count. */
  const failures = new Map<string, number>();
  /** The extractions that failed since the last answer; two tell as much as all. */
  const failing = new Set<string>();
  return {
    started(extractionId) {
      latest += 1;
      running.set(extractionId, latest);
    },
    ended(extractionId) {
      running.delete(extractionId);
    },
    answered(extractionId) {
      const run = running.get(extractionId) ?? 0;
      answeredUpTo = Math.max(answeredUpTo, run);
      if (run > roundEnd) failuresInRow = 0;
      failures.delete(extractionId);
      failing.clear();
    },
    failed(extractionId) {
      // A run that had started before the round was counted belongs to it: ten calls at once are one proof of an
      // outage, not ten, and do not drive an exponential delay to its cap.
      if (failuresInRow === 0 || (running.get(extractionId) ?? latest) > roundEnd) {
        failuresInRow += 1;
        roundEnd = latest;
      }
      const before = failedAt.get(extractionId);
      remember(failedAt, extractionId, latest);
      const ownFailures = (failures.get(extractionId) ?? 0) + 1;
      remember(failures, extractionId, ownFailures);
      if (failing.size < 2) failing.add(extractionId);
      return {
        failuresInRow,
        othersSucceed: before !== undefined && answeredUpTo > before,
        othersFail: failing.size > 1 || !failing.has(extractionId),
        ownFailures,
      };
    },
    isDown() {
      failedAt.clear();
    },
  };
}

/** Sets a value as the youngest, and forgets the oldest of too many. */
function remember(map: Map<string, number>, extractionId: string, value: number): void {
  map.delete(extractionId);
  map.set(extractionId, value);
  if (map.size <= REMEMBERED) return;
  const oldest = map.keys().next();
  if (oldest.done !== true) map.delete(oldest.value);
}
