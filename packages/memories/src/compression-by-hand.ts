import type { CompressionDetails, StartedCompression } from '@factmill/contracts';
import {
  type CompressionKind,
  type CompressionRun,
  findCompressionRun,
  findRunOfPeriod,
  hasMemories,
  insertCompressionRuns,
  type OpenCompressionRun,
  readContents,
  restartCompressionRun,
  type Sql,
  toCompression,
} from '@factmill/database';
import { addDays, type CompressionDecision, localDateOf, memoryIdsOf, periodOf } from '@factmill/extraction';

export type CompressionByHand = Readonly<{
  tenantId: string;
  userId: string;
  kind: CompressionKind;
  /** The last day to cover, `YYYY-MM-DD`; null for yesterday. */
  date: string | null;
  dryRun: boolean;
  timeZone: string;
  now: Date;
  newId: () => string;
}>;

export type StartedByHand = Readonly<{
  outcome: StartedCompression['outcome'];
  run: CompressionRun | null;
  /** What the queue has to hear of; null when there is nothing to do. */
  open: OpenCompressionRun | null;
}>;

/**
 * Adds a compression that somebody asks for to the ledger. A period is compressed once: the run that it has is
 * returned, started again when it had failed. A user without memories leaves nothing in the ledger.
 */
export async function startCompression(database: Sql, wanted: CompressionByHand): Promise<StartedByHand> {
  const { tenantId, userId, kind, dryRun, timeZone, now } = wanted;
  const nothing: StartedByHand = { outcome: 'nothing', run: null, open: null };
  if (!(await hasMemories(database, wanted))) return nothing;
  const { date, until } = periodOf(wanted.date ?? addDays(localDateOf(now, timeZone), -1), now, timeZone);
  const period = { id: wanted.newId(), tenantId, userId, kind, period: date, until, dryRun };
  const [added] = await insertCompressionRuns(database, [period]);
  const standing = added === undefined ? await findRunOfPeriod(database, period) : undefined;
  const restarted =
    standing?.state === 'failed' ? await restartCompressionRun(database, tenantId, standing.id) : undefined;
  const id = added?.id ?? standing?.id;
  const run = id === undefined ? undefined : await findCompressionRun(database, tenantId, id);
  // It was deleted in between, with its user.
  if (run === undefined) return nothing;
  const outcome = added !== undefined ? 'started' : restarted !== undefined ? 'restarted' : 'known';
  return { outcome, run, open: run.finishedAt === null ? run : null };
}

/** A run with its decisions and the texts of the memories that they name; undefined when there is none. */
export async function readCompression(
  database: Sql,
  tenantId: string,
  id: string,
): Promise<CompressionDetails | undefined> {
  const run = await findCompressionRun(database, tenantId, id);
  if (run === undefined) return undefined;
  const decisions = (run.decisions as readonly CompressionDecision[] | null) ?? [];
  const contents = await readContents(database, run, memoryIdsOf(decisions));
  return { ...toCompression(run), decisions: [...decisions], contents: Object.fromEntries(contents) };
}
