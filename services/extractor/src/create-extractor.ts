import { v7 as uuidv7 } from 'uuid';
import type { ExtractorDeps } from './extractor-deps.ts';
import { createEmbedLater } from './maintenance/embed-later.ts';
import { openCompression } from './open-compression.ts';
import { openExtraction } from './open-extraction.ts';
import { openMaintenance, openVectorMaintenance } from './open-maintenance.ts';
import { openOps } from './open-ops.ts';
import { openProviders } from './open-providers.ts';
import { openSummaries } from './open-summaries.ts';
import { openExtractorVault } from './open-vault.ts';
import { openWebhooks } from './open-webhooks.ts';
import { loadPrompts } from './prompts/load-prompts.ts';
import { createShutdown, type Shutdown } from './shutdown.ts';

export type Extractor = Readonly<{ url: string; port: number; close: () => Promise<void> }>;

/**
 * The workers: extraction, compression, summaries, vectors, webhooks and maintenance, with a port for health and metrics. It
 * takes jobs as soon as the promise resolves. The caller closes database, queues and embedder.
 */
export async function createExtractor(deps: ExtractorDeps): Promise<Extractor> {
  const shutdown = createShutdown();
  try {
    // What a run does for its tenant is done `as('tenant')`.
    return await openParts({ ...deps, database: deps.database.as('system') }, shutdown);
  } catch (error) {
    await shutdown.run().catch(() => undefined);
    throw error;
  }
}

async function openParts(deps: ExtractorDeps, shutdown: Shutdown): Promise<Extractor> {
  const { config, logger, queues } = deps;
  const prompts = await loadPrompts(config.extractor.promptsDir);
  const providers = shutdown.add(await openProviders(deps));
  const shared = { providers, prompts, embedLater: createEmbedLater({ queues, newId: () => uuidv7() }) };

  const extraction = shutdown.add(await openExtraction(deps, shared));
  const compression = shutdown.add(await openCompression(deps, shared));
  shutdown.add(openSummaries(deps, shared));
  const vectorMaintenance = shutdown.add(openVectorMaintenance(deps, providers));
  const runDueCompressions = compression.runDue;
  const maintenance = shutdown.add(
    await openMaintenance(deps, { providers, vectorMaintenance, runDueCompressions }),
  );
  shutdown.add(await openExtractorVault(deps, shared));
  shutdown.add(openWebhooks(deps));
  const workers = {
    extraction: extraction.worker,
    compression: compression.worker,
    maintenance: maintenance.worker,
  };
  const { url, port } = shutdown.add(
    await openOps(deps, { providers, workers, progress: vectorMaintenance.vectors.progress }),
  );
  const { concurrency } = config.extractor;
  logger.info({ url, provider: extraction.providerName, concurrency }, 'extractor is working');
  return { url, port, close: shutdown.run };
}
