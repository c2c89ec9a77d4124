import type { Config } from '@factmill/config';
import {
  type Claim,
  claimExtraction,
  extractionClaims,
  type ExtractionInput,
  failExtraction,
  type Sql,
} from '@factmill/database';
import { JOB_OUTCOMES } from '@factmill/queue';
import { createCounter, type Logger, seriesOf } from '@factmill/telemetry';
import type { RunBreaker } from '../providers/run-breaker.ts';
import { type ClaimedRun, createClaimedRun } from '../runs/claimed-run.ts';
import { LEASE_MS, type Leases } from '../runs/leases.ts';
import type { createExtractMemories } from './extract-memories.ts';

export type ExtractionRunsDeps = Readonly<{
  database: Sql;
  config: Config['extractor'];
  leases: Leases;
  breaker: RunBreaker;
  extractMemories: ReturnType<typeof createExtractMemories>;
  workerId: string;
  /** Maximum of known memories in a prompt. */
  knownMemoryLimit: number;
  logger: Logger;
  random: () => number;
}>;

/**
 * The jobs of the extraction queue: each claims an extraction, together with the permit to call the model, and runs
 * it.
 */
export function createExtractionRuns(deps: ExtractionRunsDeps): ClaimedRun {
  const { database, extractMemories } = deps;
  const { breaker } = deps.breaker;
  const countEnded = createCounter(
    'factmill_extractions_total',
    'Extractions by how this run of them ended',
    seriesOf({ outcome: JOB_OUTCOMES }),
  );
  return createClaimedRun<Claim, ExtractionInput>({
    ...deps,
    noun: 'extraction',
    claim: (job) =>
      claimExtraction(database, {
        ...job,
        workerId: deps.workerId,
        leaseMs: LEASE_MS,
        knownMemoryLimit: deps.knownMemoryLimit,
        provider: breaker && { name: breaker.provider, probeIntervalMs: breaker.probeIntervalMs },
      }),
    assertFence: (claim) => extractionClaims.assertFence(database, claim),
    run: async (claim, input, { signal }) => ({
      kind: 'done',
      ...(await extractMemories(claim, input, signal)),
    }),
    release: (claim, release) => extractionClaims.release(database, claim, release),
    fail: (claim, error) => failExtraction(database, claim, error),
    idFields: (claim) => ({ extraction_id: claim.id }),
    span: (claim) => ({
      name: 'extract',
      traceparent: claim.traceparent,
      attributes: { 'factmill.extraction_id': claim.id, 'factmill.fence': claim.fence },
    }),
    counters: { ended: (_claim, { kind }) => countEnded(1, { outcome: kind }) },
  });
}
