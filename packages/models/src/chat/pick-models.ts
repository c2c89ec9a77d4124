/** What is known about the models of an ordered list. */
export type ModelKnowledge = Readonly<{
  /** Models that the endpoint lists; null when it offers no list. */
  listed: readonly string[] | null;
  /** When the endpoint last reported a model as missing, milliseconds. */
  missingSinceMs: ReadonlyMap<string, number>;
}>;

/** A missing model is tried again after this long, and the list is read again. */
export const RECHECK_MS = 60_000;

/**
 * The models to try, best first. With the endpoint's list: our models on it that were not refused since. Without:
 * those not refused within RECHECK_MS; when all were, the one refused longest ago, so that a retry stays one call.
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
