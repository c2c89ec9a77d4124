import { type Considered, CONSIDERED_CHARACTERS, MAX_CONSIDERED } from '@factmill/contracts';
import type { Entry } from './to-result.ts';

/** What each stage let pass of the candidates of a search, in the order of the stages. */
type Stages = Readonly<{
  /** All candidates, best first. */
  ranked: readonly Entry[];
  isRelevant: (entry: Entry) => boolean;
  isWeak: (entry: Entry) => boolean;
  /** Candidates that say the same as a better one, with that one's id. */
  duplicateOf: ReadonlyMap<string, string>;
  /** Not too like each other, and filled up. */
  filled: readonly Entry[];
  /** Within the token budget. */
  affordable: readonly Entry[];
  chosen: readonly Entry[];
}>;

/** What has become of each candidate, for the explanation of a search. */
export function toConsidered(stages: Stages): Considered[] {
  const ids = (entries: readonly Entry[]) => new Set(entries.map(({ id }) => id));
  const [chosen, affordable, filled] = [ids(stages.chosen), ids(stages.affordable), ids(stages.filled)];

  function outcomeOf(entry: Entry): Considered['outcome'] {
    const { id } = entry;
    if (chosen.has(id)) return 'result';
    if (affordable.has(id)) return 'limit';
    if (filled.has(id)) return 'token_budget';
    if (!stages.isRelevant(entry)) return 'relevance';
    if (stages.isWeak(entry)) return 'below_cutoff';
    return stages.duplicateOf.has(id) ? 'duplicate' : 'diversity';
  }

  return stages.ranked.slice(0, MAX_CONSIDERED).map((entry) => {
    const outcome = outcomeOf(entry);
    const duplicateOf = outcome === 'duplicate' ? stages.duplicateOf.get(entry.id) : undefined;
    return {
      id: entry.id,
      content: entry.content.slice(0, CONSIDERED_CHARACTERS).toWellFormed(),
      score: entry.score,
      channels: entry.relevant.channels(),
      outcome,
      ...(duplicateOf === undefined ? {} : { duplicate_of: duplicateOf }),
    };
  });
}
