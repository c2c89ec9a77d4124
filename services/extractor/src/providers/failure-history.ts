/** The failures of runs in this process, by which one bad conversation and an outage can be told apart. */
export type FailureHistory = Readonly<{
  /** A run begins; its calls count as started now. */
  started: (runId: string) => void;
  /** It has ended. */
  ended: (runId: string) => void;
  /** The provider answered it, whatever it said. */
  answered: (runId: string) => void;
  /** Records a failure that blames the provider, and returns the pattern it belongs to. */
  failed: (runId: string) => FailurePattern;
  /** The provider is known to be down: the failures until now were its fault, not that of a run. */
  blameProvider: () => void;
}>;

export type FailurePattern = Readonly<{
  /** Rounds of failures in a row, this one included. Failures of calls that ran side by side are one round. */
  failuresInRow: number;
  /**
   * Whether the provider answered a call that started after this run last failed: then the fault is with this run.
   * An answer to a call that was under way already proves nothing: an outage may have begun since.
   */
  othersSucceed: boolean;
  /** Whether another run has failed too since the provider last answered any. */
  othersFail: boolean;
  /** Failures of this run since the provider last answered it. */
  ownFailures: number;
}>;

/** Ids remembered at most; beyond that the oldest is forgotten, which only delays the end of one that will not work. */
const MAX_REMEMBERED = 10_000;

export function createFailureHistory(): FailureHistory {
  /** Runs are numbered in the order of their start. */
  let latest = 0;
  const running = new Map<string, number>();
  let failuresInRow = 0;
  /** The last run that had started when the last round of failures was counted. */
  let roundEnd = 0;
  /** The youngest run that was answered. */
  let answeredUpTo = 0;
  /** Run → the last run that had started when it last failed. */
  const failedAt = new Map<string, number>();
  /** Run → its failures since it was last answered; an outage does not end the count. */
  const failures = new Map<string, number>();
  /** The runs that failed since the last answer; two tell as much as all. */
  const failing = new Set<string>();
  return {
    started(runId) {
      latest += 1;
      running.set(runId, latest);
    },
    ended(runId) {
      running.delete(runId);
    },
    answered(runId) {
      const run = running.get(runId) ?? 0;
      answeredUpTo = Math.max(answeredUpTo, run);
      if (run > roundEnd) failuresInRow = 0;
      failures.delete(runId);
      failing.clear();
    },
    failed(runId) {
      // A run that had started before the round was counted belongs to it: ten calls at once are one proof of an
      // outage, not ten, and do not drive an exponential delay to its cap.
      if (failuresInRow === 0 || (running.get(runId) ?? latest) > roundEnd) {
        failuresInRow += 1;
        roundEnd = latest;
      }
      const before = failedAt.get(runId);
      remember(failedAt, runId, latest);
      const ownFailures = (failures.get(runId) ?? 0) + 1;
      remember(failures, runId, ownFailures);
      if (failing.size < 2) failing.add(runId);
      return {
        failuresInRow,
        othersSucceed: before !== undefined && answeredUpTo > before,
        othersFail: failing.size > 1 || !failing.has(runId),
        ownFailures,
      };
    },
    blameProvider() {
      failedAt.clear();
    },
  };
}

/** Sets a value as the youngest, and forgets the oldest of too many. */
function remember(map: Map<string, number>, runId: string, value: number): void {
  map.delete(runId);
  map.set(runId, value);
  if (map.size <= MAX_REMEMBERED) return;
  const oldest = map.keys().next();
  if (oldest.done !== true) map.delete(oldest.value);
}
