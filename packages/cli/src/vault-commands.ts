import { loadConfig, loadProcessEnvironment } from '@factmill/config';
import { findTenantId } from '@factmill/database';
import { AppError } from '@factmill/errors';
import type { Command } from 'commander';
import { v7 as newId } from 'uuid';
import { parseWhole } from './parse-whole.ts';
import { print, withDatabase } from './with-database.ts';

type Options = Readonly<{ wait: number }>;

/** `factmill vault sync`: one pass over the Markdown vault of VAULT_DIR. */
export function addVaultCommands(program: Command): void {
  program
    .command('vault')
    .description('the Markdown vault of VAULT_DIR')
    .command('sync')
    .description('bring files and memories together once; an extractor with VAULT_DIR does it all the time')
    .option('--wait <seconds>', 'for files that are still being written', parseWhole(1, 86_400), 600)
    .action((options: Options) =>
      withDatabase(({ database, logger }) => sync(database, logger, options.wait)),
    );
}

type Context = Parameters<Parameters<typeof withDatabase>[0]>[0];

async function sync(database: Context['database'], logger: Context['logger'], waitS: number): Promise<void> {
  const { extractor, embedding } = loadConfig(loadProcessEnvironment());
  const { vault } = extractor;
  if (vault === null)
    throw new AppError('config_invalid', 'VAULT_DIR has to be set: it is the folder of the vault.');
  const tenantId = await findTenantId(database, vault.tenant);
  if (tenantId === undefined)
    throw new AppError('config_invalid', 'VAULT_TENANT: there is no tenant with this name.');
  const { syncVault } = await import('@factmill/vault');
  const interrupted = new AbortController();
  const interrupt = () =>
    interrupted.abort(new AppError('shutting_down', 'Interrupted. The same command goes on where it was.'));
  process.once('SIGINT', interrupt).once('SIGTERM', interrupt);
  try {
    const result = await syncVault(
      {
        dir: vault.dir,
        maxFiles: vault.maxFiles,
        tenantId,
        database,
        wantsEmbedding: embedding.provider !== 'none',
        // Extractors find the missing vectors.
        embedLater: async () => undefined,
        newId: () => newId(),
        now: () => new Date(),
        clock: () => performance.now(),
        logger,
      },
      waitS * 1_000,
      interrupted.signal,
    ).catch((error: unknown) => {
      throw interrupted.signal.aborted ? interrupted.signal.reason : error;
    });
    print(`Files:    ${result.written} written, ${result.removed} removed, ${result.conflicts} kept aside`);
    print(`Memories: ${result.created} created, ${result.changed} changed, ${result.deleted} deleted`);
    if (result.waiting > 0) print(`${result.waiting} files wait; factmill-report.md in the vault says why.`);
  } finally {
    process.off('SIGINT', interrupt).off('SIGTERM', interrupt);
  }
}
