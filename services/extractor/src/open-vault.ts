import { settlesWithin } from '@factmill/async';
import { findTenantId } from '@factmill/database';
import { AppError } from '@factmill/errors';
import { openVault } from '@factmill/vault';
import { v7 as uuidv7 } from 'uuid';
import type { ExtractorDeps } from './extractor-deps.ts';
import type { EmbedLater } from './maintenance/embed-later.ts';
import type { Part } from './shutdown.ts';

/** What is left of a round goes on with the next start. */
const GRACE_MS = 1_000;

/**
 * The Markdown vault of VAULT_DIR, if one is configured.
 *
 * @throws AppError `config_invalid` when there is no such tenant; `vault_unavailable` when the folder cannot be used
 */
export async function openExtractorVault(
  { config, database, logger, signal }: ExtractorDeps,
  { embedLater }: Readonly<{ embedLater: EmbedLater }>,
): Promise<Part> {
  const { vault } = config.extractor;
  if (vault === null) return {};
  const tenantId = await findTenantId(database, vault.tenant);
  if (tenantId === undefined)
    throw new AppError('config_invalid', 'VAULT_TENANT: there is no tenant with this name.');
  const wantsEmbedding = config.embedding.provider !== 'none';
  const opened = await openVault({
    dir: vault.dir,
    maxFiles: vault.maxFiles,
    scanIntervalMs: vault.scanIntervalMs,
    tenantId,
    database,
    wantsEmbedding,
    async embedLater(tenant, memoryIds) {
      if (wantsEmbedding) await embedLater(tenant, memoryIds);
      signal?.changed();
    },
    newId: () => uuidv7(),
    now: () => new Date(),
    clock: () => performance.now(),
    logger,
    signal,
  });
  return { drain: () => settlesWithin(opened.close(), GRACE_MS) };
}
