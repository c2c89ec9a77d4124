import type { Config } from '@factmill/config';
import {
  claimReplayRun,
  type DatabasePool,
  failReplayRun,
  finishReplayRun,
  type ReplayClaim,
  replayClaims,
} from '@factmill/database';
import { applyReplay, undoReplay } from '@factmill/memories';
import { JOB_OUTCOMES } from '@factmill/queue';
import { createCounter, type Logger, seriesOf } from '@factmill/telemetry';
import type { EmbedLater } from '../maintenance/embed-later.ts';
import type { RunBreaker } from '../providers/run-breaker.ts';
import { type ClaimedRun, createClaimedRun } from '../runs/claimed-run.ts';
import { LEASE_MS, type Leases } from '../runs/leases.ts';
import { type createExtractIntoShadow, shadowOf } from './extract-into-shadow.ts';

export type ReplayRunsDeps = Readonly<{
  database: DatabasePool;
  config: Config['extractor'];
  leases: Leases;
  breaker: RunBreaker;
  extractIntoShadow: ReturnType<typeof createExtractIntoShadow>;
  embedLater: EmbedLater;
  wantsEmbedding: boolean;
  workerId: string;
  logger: Logger;
  random: () => number;
}>;

/**
 * The runs of shadow replays: an extraction into the shadow, or the change of one user's memories when a replay is
 * applied or undone, which is one transaction.
 */
export function createReplayRuns(deps: ReplayRunsDeps): ClaimedRun {
  const { database } = deps;
  const countEnded = createCounter(
    'factmill_replay_runs_total',
    'Runs of shadow replays by kind and how they ended',
    seriesOf({ kind: ['extract', 'apply', 'undo'], outcome: JOB_OUTCOMES }),
  );
  return createClaimedRun<ReplayClaim, null>({
    ...deps,
    noun: 'replay',
    claim: (job) =>
      claimReplayRun(database, {
        ...job,
        workerId: deps.workerId,
        leaseMs: LEASE_MS,
        asksModel: deps.breaker.breaker !== null,
      }),
    assertFence: (claim) => replayClaims.assertFence(database, claim),
    run: async (claim, _input, { signal }) => ({
      kind: 'done',
      counts: claim.kind === 'extract' ? await deps.extractIntoShadow(claim, signal) : await change(claim),
      next: null,
    }),
    release: (claim, release) => replayClaims.release(database, claim, release),
    fail: async (claim, error) => {
      await failReplayRun(database, claim, error);
      return { next: null };
    },
    idFields: (claim) => ({ replay_id: claim.replayId, replay_run_id: claim.id, kind: claim.kind }),
    span: (claim) => ({ name: 'replay', attributes: { 'factmill.replay_id': claim.replayId } }),
    counters: { ended: ({ kind }, outcome) => countEnded(1, { kind, outcome: outcome.kind }) },
  });

  async function change(claim: ReplayClaim): Promise<Readonly<Record<string, number>>> {
    const effect = await database.as('tenant').transaction(
      async (tx) => {
        await replayClaims.assertFence(tx, claim);
        const shadow = shadowOf(claim);
        const done =
          claim.kind === 'apply'
            ? await applyReplay(tx, shadow, deps.wantsEmbedding)
            : await undoReplay(tx, shadow);
        await finishReplayRun(tx, claim, done);
        return done;
      },
      { maxAttempts: 3 },
    );
    if (deps.wantsEmbedding && effect.toEmbed.length > 0) {
      await deps.embedLater(claim.tenantId, effect.toEmbed);
    }
    return effect.counts;
  }
}
