/** What is known about the models of an ordered list. */
export type ModelKnowledge = Readonly<{
  /** Models that the endpoint lists; null when it offers no list. */
  listed: readonly string[] | null;
  /** When the endpoint last said that it does not have a model, milliseconds. */
  missingSinceMs: ReadonlyMap<string, number>;
}>;

/** A model that was missing is asked for again after this long, and a list is read anew. */
export const RECHECK_MS = 60_000;

/**
 * The models to ask, best first. With the endpoint's list: those of ours that are on it and were not refused since.
 * Without: those that were not refused within RECHECK_MS; when all were, the one whose refusal is oldest, so that asking
 * again stays one call.
 */
export function pickModels(
  models: readonly string[],
  { listed, missingSinceMs }: ModelKnowledge,
  nowMs: number,
): string[] {
  if (listed !== null) {
    return models.filter((model) => isListed(model, listed) && !missingSinceMs.has(model));
  }
  const missingAt = (model: string): number => missingSinceMs.get(model) ?? Number.NEGATIVE_INFINITY;
  const hopeful = models.filter((model) => nowMs - missingAt(model) >= RECHECK_MS);
  return hopeful.length > 0 ? hopeful : models.toSorted((a, b) => missingAt(a) - missingAt(b)).slice(0, 1);
}

/** Servers list `name:latest` for `name`, or `models/name`. */
function isListed(model: string, listed: readonly string[]): boolean {
  return listed.some((id) => id === model || id === `${model}:latest` || id === `models/${model}`);
}
