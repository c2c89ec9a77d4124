import type { Config } from '@factmill/config';
import {
  claimCompressionRun,
  compressionClaims,
  failCompressionRun,
  type RunClaim,
  type Sql,
} from '@factmill/database';
import { JOB_OUTCOMES } from '@factmill/queue';
import { createCounter, type Logger, seriesOf } from '@factmill/telemetry';
import type { RunBreaker } from '../providers/run-breaker.ts';
import { type ClaimedRun, createClaimedRun } from '../runs/claimed-run.ts';
import { LEASE_MS, type Leases } from '../runs/leases.ts';
import type { createCompressMemories } from './compress-memories.ts';

export type CompressionRunsDeps = Readonly<{
  database: Sql;
  config: Config['extractor'];
  leases: Leases;
  breaker: RunBreaker;
  compressMemories: ReturnType<typeof createCompressMemories>;
  workerId: string;
  logger: Logger;
  random: () => number;
}>;

/** The jobs of the compression queue. A run acquires a permit for each of its calls; its claim brings none. */
export function createCompressionRuns(deps: CompressionRunsDeps): ClaimedRun {
  const { database, compressMemories } = deps;
  const countEnded = createCounter(
    'factmill_compressions_total',
    'Compression runs by kind and how they ended',
    seriesOf({ kind: ['daily', 'weekly'], outcome: JOB_OUTCOMES }),
  );
  return createClaimedRun<RunClaim, null>({
    ...deps,
    noun: 'compression',
    claim: (job) =>
      claimCompressionRun(database, {
        ...job,
        workerId: deps.workerId,
        leaseMs: LEASE_MS,
        asksModel: deps.breaker.breaker !== null,
      }),
    assertFence: (claim) => compressionClaims.assertFence(database, claim),
    run: (claim, _input, context) => compressMemories(claim, context),
    release: (claim, release) => compressionClaims.release(database, claim, release),
    fail: async (claim, error) => {
      await failCompressionRun(database, claim, error);
      return { next: null };
    },
    idFields: (claim) => ({ compression_run_id: claim.id, kind: claim.kind }),
    span: (claim) => ({ name: 'compress', attributes: { 'factmill.compression_run_id': claim.id } }),
    counters: { ended: ({ kind }, outcome) => countEnded(1, { kind, outcome: outcome.kind }) },
  });
}
