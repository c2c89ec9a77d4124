import { settlesWithin } from '@factmill/async';
import { nextSummaryDueMs } from '@factmill/database';
import type { Prompts } from '@factmill/extraction';
import type { ExtractorDeps } from './extractor-deps.ts';
import type { Providers } from './open-providers.ts';
import { createBillChatModel } from './providers/billed-chat-model.ts';
import type { Part } from './shutdown.ts';
import { createRefreshSummary } from './summarising/refresh-summary.ts';
import { createSummariser } from './summarising/summariser.ts';
import { createWriteSummary } from './summarising/write-summary.ts';

/** Few, so that extractions get most of the model. */
const CONCURRENCY = 2;
/** Added to the model's time limit: for reading, writing, and suspended machines. */
const LEASE_MARGIN_MS = 30_000;
const GRACE_MS = 500;

/** What keeps summaries fresh. */
export function openSummaries(
  { config, database, logger, signal }: ExtractorDeps,
  { providers: { chat, meter, usage }, prompts }: Readonly<{ providers: Providers; prompts: Prompts }>,
): Part {
  const { chatModel, retry, sweepIntervalMs } = config.extractor;
  const summariser = createSummariser({
    refreshSummary: createRefreshSummary({
      database,
      writeSummary: createWriteSummary({
        database,
        chatModel: chat && meter(chat.model, 'summary'),
        bill: createBillChatModel(usage),
        prompts,
        now: () => new Date(),
      }),
      breaker: chat?.breaker ?? null,
      leaseMs: (chatModel?.timeoutMs ?? 0) + LEASE_MARGIN_MS,
      policy: { kind: 'exponential', baseMs: retry.intervalMs, capMs: retry.maxIntervalMs },
      logger,
      random: Math.random,
      now: () => Math.round(performance.now()),
    }),
    concurrency: CONCURRENCY,
    intervalMs: sweepIntervalMs,
    logger,
    nextDueMs: () => nextSummaryDueMs(database),
    signal,
  });
  return { drain: () => settlesWithin(summariser.close(), GRACE_MS) };
}
