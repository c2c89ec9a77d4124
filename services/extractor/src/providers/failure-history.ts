/** The failures of runs in this process. They distinguish one bad conversation from an outage. */
export type FailureHistory = Readonly<{
  /** A run begins; its calls count as started now. */
  started: (runId: string) => void;
  /** The run has ended. */
  ended: (runId: string) => void;
  /** The provider answered the run, with any reply. */
  answered: (runId: string) => void;
  /** Records a failure that blames the provider, and returns the pattern it belongs to. */
  failed: (runId: string) => FailurePattern;
  /** The provider is known to be down: all failures until now were its fault, not a run's. */
  blameProvider: () => void;
}>;

export type FailurePattern = Readonly<{
  /** Rounds of failures in a row, including this one. Failures of parallel calls are one round. */
  failuresInRow: number;
  /**
   * Whether the provider answered a call that started after this run last failed: then this run is at fault. An
   * answer to an earlier call proves nothing: an outage may have begun since.
   */
  othersSucceed: boolean;
  /** Whether another run has also failed since the provider's last answer to any run. */
  othersFail: boolean;
  /** Failures of this run since the provider last answered it. */
  ownFailures: number;
}>;

/** Maximum of remembered ids; beyond it the oldest is dropped, which only delays the end of a hopeless run. */
const MAX_REMEMBERED = 10_000;

export function createFailureHistory(): FailureHistory {
  /** Runs are numbered in the order of their start. */
  let latest = 0;
  const running = new Map<string, number>();
  let failuresInRow = 0;
  /** The last run that had started when the last round was counted. */
  let roundEnd = 0;
  /** The latest run that was answered. */
  let answeredUpTo = 0;
  /** Run → the last run that had started when it last failed. */
  const failedAt = new Map<string, number>();
  /** Run → its failures since its last answer; an outage does not reset the count. */
  const failures = new Map<string, number>();
  /** The runs that failed since the last answer; at most two are kept, because two are enough. */
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
      // A run that started before the round was counted belongs to it: ten parallel failures prove an outage once, not
      // ten times, and do not drive an exponential delay to its cap.
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

/** Sets a value as the newest entry, and drops the oldest beyond the limit. */
function remember(map: Map<string, number>, runId: string, value: number): void {
  map.delete(runId);
  map.set(runId, value);
  if (map.size <= MAX_REMEMBERED) return;
  const oldest = map.keys().next();
  if (oldest.done !== true) map.delete(oldest.value);
}
