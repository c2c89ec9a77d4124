import type { BuildProgress } from '@factmill/database';
import { createHttpApp, listen } from '@factmill/http';
import type { Queues, QueueWorker } from '@factmill/queue';
import { createDisposables, createReadiness, VERSION } from '@factmill/runtime';
import type { ExtractorDeps } from './extractor-deps.ts';
import { addGauges } from './gauges.ts';
import type { Providers } from './open-providers.ts';
import type { Part } from './shutdown.ts';

export type Ops = Part & Readonly<{ url: string; port: number }>;

type Workers = Readonly<Record<'extraction' | 'compression' | 'maintenance', QueueWorker>>;

/** A worker that has taken nothing for this long, while jobs wait and it has a free slot, is stuck. */
const STUCK_AFTER_MS = 60_000;

/** Health and metrics: the port, and the gauges. */
export async function openOps(
  deps: ExtractorDeps,
  parts: Readonly<{ providers: Providers; workers: Workers; progress: () => readonly BuildProgress[] }>,
): Promise<Ops> {
  const { config, database, logger, queues, telemetry } = deps;
  const { chat, embeddingFits } = parts.providers;
  const app = createHttpApp({
    service: 'extractor',
    version: VERSION,
    logger,
    telemetry,
    maxBodyBytes: 1_024,
    browsers: config.browsers,
    health: {
      describe: () => ({
        extraction: chat === null ? 'extractive' : chat.model.name,
        embedding: config.embedding.provider,
        reembed: parts.progress().map(({ done, total, pass }) => ({ done, total, pass })),
        concurrency: config.extractor.concurrency,
      }),
      impaired: () => [
        ...(chat?.model.availability().kind === 'none' ? ['extraction_model'] : []),
        ...(embeddingFits() ? [] : ['embedding_model']),
      ],
      liveness: () => stuckWorkers(queues, parts.workers),
      readiness: createReadiness({
        database,
        also: {
          queue: async () => {
            await queues.ping();
            return true;
          },
        },
      }),
    },
    routes: () => undefined,
  });
  const server = await listen(app, {
    host: config.host,
    port: config.extractor.port,
    setting: 'EXTRACTOR_PORT',
  });
  const gauges = createDisposables();
  addGauges(database, gauges);
  return { url: server.url, port: server.port, drain: () => server.close(0), release: gauges.close };
}

async function stuckWorkers(queues: Queues, workers: Workers): Promise<string[]> {
  const stuck = await Promise.all(
    (['extraction', 'compression', 'maintenance'] as const).map(async (queue) => {
      const oldestWaitingAgeMs = await queues.oldestWaitingAgeMs(queue).catch(() => 0);
      const question = { now: Date.now(), oldestWaitingAgeMs, thresholdMs: STUCK_AFTER_MS };
      return workers[queue].isStuck(question) ? [`worker_stuck:${queue}`] : [];
    }),
  );
  return stuck.flat();
}
