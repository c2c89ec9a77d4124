/** Remembers how the provider has been doing, so that one bad conversation and an outage can be told apart. */
export type ProviderHealth = Readonly<{
  /** The provider answered, whatever it said. */
  answered: () => void;
  /** Rounds of failures since the provider last answered: what a call that starts now is told by `failed`. */
  round: () => number;
  /** Records a failure of an extraction whose call started in `round`, and says how it looks. */
  failed: (extractionId: string, round: number) => ProviderState;
}>;

export type ProviderState = Readonly<{
  /** Rounds of failures in a row, this one included. Failures of calls that ran side by side are one round. */
  failuresInRow: number;
  /** Whether the provider answered another extraction since this one last failed: then the fault is with this one. */
  othersSucceed: boolean;
}>;

/** Ids remembered at most; beyond that the oldest is forgotten, which only delays burning an attempt. */
const REMEMBERED = 10_000;

/** Creates the memory of one process. */
export function createProviderHealth(): ProviderHealth {
  let failuresInRow = 0;
  let answers = 0;
  /** Extraction → number of answers when it last failed. */
  const failedAt = new Map<string, number>();
  return {
    answered() {
      answers += 1;
      failuresInRow = 0;
    },
    round: () => failuresInRow,
    failed(extractionId, round) {
      // A call that started before the round was counted belongs to it: ten calls at once are one proof of an
      // outage, not ten, and do not drive an exponential delay to its cap.
      if (round >= failuresInRow) failuresInRow += 1;
      const before = failedAt.get(extractionId);
      failedAt.delete(extractionId);
      failedAt.set(extractionId, answers);
      if (failedAt.size > REMEMBERED) {
        const oldest = failedAt.keys().next();
        if (oldest.done !== true) failedAt.delete(oldest.value);
      }
      return { failuresInRow, othersSucceed: before !== undefined && answers > before };
    },
  };
}
