import { createLatest } from '@factmill/async';
import { readSettings, type Sql } from '@factmill/database';

/** How long a change of the switch takes at most to reach an extractor. */
export const SWITCH_READ_EVERY_MS = 2_000;

/**
 * Whether extractions are worked on (A19): `extraction.enabled` of run time overrides the environment. While it is off,
 * extractions wait in the ledger; none is lost.
 */
export function createExtractionSwitch(
  deps: Readonly<{ database: Sql; configured: boolean; now: () => number }>,
): () => Promise<boolean> {
  const settings = createLatest<Readonly<Record<string, unknown>>>({
    load: () => readSettings(deps.database),
    initial: {},
    everyMs: SWITCH_READ_EVERY_MS,
    now: deps.now,
  });
  return async () => {
    const changed = (await settings.read())['extraction.enabled'];
    return typeof changed === 'boolean' ? changed : deps.configured;
  };
}
