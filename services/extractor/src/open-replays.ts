import { nextReplayRun, replayClaims, takeUnattendedReplayRuns } from '@factmill/database';
import type { Prompts } from '@factmill/extraction';
import { type JobContext, type JobOutcome, replayJob } from '@factmill/queue';
import { v7 as uuidv7 } from 'uuid';
import type { ExtractorDeps } from './extractor-deps.ts';
import type { EmbedLater } from './maintenance/embed-later.ts';
import type { Providers } from './open-providers.ts';
import { createExtractIntoShadow } from './replaying/extract-into-shadow.ts';
import { createReplayProvider } from './replaying/replay-provider.ts';
import { createReplayRuns } from './replaying/replay-runs.ts';
import { createLeases, LEASE_MS } from './runs/leases.ts';

type Job = Readonly<{ id: string; tenantId: string }>;

export type Replays = Readonly<{
  /** Takes one run to its end, and asks for the next one of the same user. */
  process: (job: Job, context: JobContext) => Promise<JobOutcome>;
  /** Enqueues open runs that the queue does not know. */
  putBack: () => Promise<void>;
  drain: () => void;
  abort: () => Promise<void>;
  release: () => void;
}>;

export type ReplayParts = Readonly<{ providers: Providers; prompts: Prompts; embedLater: EmbedLater }>;

/** Rows of one look at open runs. */
const PAGE = 500;

/** Shadow replays. Each run is a job of its own, so that those of other users and compressions get their turn. */
export function openReplays(deps: ExtractorDeps, parts: ReplayParts): Replays {
  const { config, database, logger, queues } = deps;
  const { breaker, chat, embedTexts, meter, usage } = parts.providers;
  const leases = createLeases({ renew: (claims) => replayClaims.renewLeases(database, claims, LEASE_MS) });
  const runs = createReplayRuns({
    database,
    config: config.extractor,
    leases,
    breaker,
    extractIntoShadow: createExtractIntoShadow({
      config,
      database: database.as('tenant'),
      replayProvider: createReplayProvider({
        config: config.extractor,
        chat,
        meter,
        prompts: parts.prompts,
      }),
      embedTexts,
      usage,
      breaker,
      logger,
      newId: () => uuidv7(),
      date: () => new Date(),
    }),
    embedLater: parts.embedLater,
    wantsEmbedding: config.embedding.provider !== 'none',
    workerId: uuidv7(),
    logger,
    random: Math.random,
  });

  async function askForNext(job: Job): Promise<void> {
    try {
      const next = await nextReplayRun(database, job);
      if (next !== undefined) await queues.enqueue([replayJob(next)]);
    } catch {
      // The next look at open runs finds it.
    }
  }

  return {
    async process(job, context) {
      const outcome = await runs.process(job, context);
      if (outcome.kind === 'done' || outcome.kind === 'fail') await askForNext(job);
      return outcome;
    },
    async putBack() {
      const open = await takeUnattendedReplayRuns(database, {
        graceMs: config.extractor.sweepGraceMs,
        limit: PAGE,
      });
      const missing = new Set(
        await queues.missing(
          'replay',
          open.map(({ id }) => id),
        ),
      );
      await queues.enqueue(open.filter(({ id }) => missing.has(id)).map(replayJob));
    },
    drain: runs.drain,
    abort: runs.abort,
    release: leases.close,
  };
}
