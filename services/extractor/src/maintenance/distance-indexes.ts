import {
  buildDistanceIndex,
  claimDistanceIndex,
  createPool,
  type DatabasePool,
  dropDistanceIndexes,
  type LargeOwner,
  listLargeOwners,
  releaseDistanceIndex,
} from '@factmill/database';
import { isAppError } from '@factmill/errors';
import type { Logger } from '@factmill/telemetry';

/** Comparing the signs of all grows with them; of 50,000 an index finds the nearest in 3 ms, signs in 12 (ADR 16). */
const LARGE_USER = 20_000;
/** Each index costs every write to the table a little, so the largest users have one. */
const MOST_INDEXES = 100;
/** 50,000 vectors of 384 components took a minute. */
const LEASE_MS = 3_600_000;

export type DistanceIndexesDeps = Readonly<{
  database: DatabasePool;
  /** For a connection on which a statement may take long; null: nothing is built (embedded storage has one session). */
  connectionString: string | null;
  logger: Logger;
  /** Vectors of a user from which on there is an index; default 20,000. */
  largeUser?: number;
}>;

export type DistanceIndexes = Readonly<{
  /** Looks for what is to be built and dropped, unless that is going on, and resolves when it is done. */
  look: () => Promise<void>;
  /** Ends what is going on and resolves when nothing is. */
  close: () => Promise<void>;
}>;

/**
 * Keeps the indexes by distance of large users: builds what is missing, one after the other, and drops what is not
 * needed any more. Searches are right without them, only slower, so what cannot be done now is left to the next look.
 */
export function createDistanceIndexes(deps: DistanceIndexesDeps): DistanceIndexes {
  const { database, connectionString, logger, largeUser = LARGE_USER } = deps;
  const closing = new AbortController();
  let running: Promise<void> | undefined;

  async function keepUp(url: string): Promise<void> {
    const patient = createPool({
      connectionString: url,
      max: 1,
      applicationName: 'factmill-extractor-indexes',
      logger,
    });
    let cancel: (() => void) | undefined;
    try {
      const { pid } = await patient.one<{ pid: number }>('select pg_backend_pid() as pid');
      cancel = () => {
        database.query('select pg_cancel_backend($1::integer)', [pid]).catch(() => undefined);
      };
      closing.signal.addEventListener('abort', cancel);
      // Half of it, so that a user at the limit does not come and go.
      const dropped = await dropDistanceIndexes(patient, Math.floor(largeUser / 2));
      if (dropped > 0) logger.info({ dropped }, 'indexes of users that are not large any more are dropped');
      for (const owner of await listLargeOwners(patient, largeUser, MOST_INDEXES)) {
        if (closing.signal.aborted) return;
        await build(patient, owner);
      }
    } catch (error) {
      if (closing.signal.aborted) return;
      logger.warn(
        { code: isAppError(error) ? error.code : 'internal' },
        'indexes of large users have to wait',
      );
    } finally {
      if (cancel !== undefined) closing.signal.removeEventListener('abort', cancel);
      await patient.close();
    }
  }

  async function build(patient: DatabasePool, owner: LargeOwner): Promise<void> {
    const index = await claimDistanceIndex(patient, owner, LEASE_MS);
    if (index === undefined) return;
    const startedAt = performance.now();
    try {
      await buildDistanceIndex(patient, index);
    } catch (error) {
      await releaseDistanceIndex(database, index).catch(() => undefined);
      throw error;
    }
    const seconds = Math.round((performance.now() - startedAt) / 1_000);
    logger.info({ vectors: owner.vectors, seconds }, 'a large user has an index by distance now');
  }

  return {
    async look() {
      if (connectionString === null || closing.signal.aborted) return;
      running ??= keepUp(connectionString).finally(() => {
        running = undefined;
      });
      await running;
    },
    async close() {
      closing.abort();
      await running;
    },
  };
}
