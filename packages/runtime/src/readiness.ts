import { withDeadline } from '@factmill/async';
import type { Sql } from '@factmill/database';

/** How long a check's result is cached, so that probes and `/health` add no load. */
const CACHE_MS = 1_000;
const TIMEOUT_MS = 2_000;

export type ReadinessDeps = Readonly<{
  database: Sql;
  /** Further requirements by name: each resolves to whether it is met. */
  also?: Readonly<Record<string, () => Promise<boolean>>>;
}>;

/** What this process lacks to serve requests: `database`, or a name of `also`. */
export function createReadiness(deps: ReadinessDeps): () => Promise<readonly string[]> {
  return createChecks({
    database: async () => {
      await deps.database.query('select 1');
      return true;
    },
    ...deps.also,
  });
}

/**
 * The names of the checks that fail or take longer than `timeoutMs`. Results are cached for a second, so that
 * frequent probes add no load.
 */
export function createChecks(
  checks: Readonly<Record<string, () => Promise<boolean>>>,
  timeoutMs = TIMEOUT_MS,
): () => Promise<readonly string[]> {
  let cached: { at: number; answer: Promise<readonly string[]> } | undefined;

  async function check(): Promise<readonly string[]> {
    const failed = await Promise.all(
      Object.entries(checks).map(async ([name, ask]) => {
        const answer = withDeadline({ ms: timeoutMs, onTimeout: () => new Error('too late') }, ask);
        return (await answer.catch(() => false)) ? [] : [name];
      }),
    );
    return failed.flat();
  }

  return () => {
    if (cached === undefined || Date.now() - cached.at > CACHE_MS)
      cached = { at: Date.now(), answer: check() };
    return cached.answer;
  };
}
