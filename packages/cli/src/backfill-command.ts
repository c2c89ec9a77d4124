import { findTenantId } from '@factmill/database';
import { AppError } from '@factmill/errors';
import { backfillVectors, registerConfigured } from '@factmill/vectors';
import type { Command } from 'commander';
import { setTimeout as delay } from 'node:timers/promises';
import { parseWhole } from './parse-whole.ts';
import { backfillByApi } from './vectors-by-api.ts';
import { print } from './with-database.ts';
import { type EmbedderContext, withEmbedder } from './with-embedder.ts';
import { clientOf, targetOf } from './with-operator.ts';

type Options = Readonly<{ batchSize: number; pauseMs: number; tenant?: string }>;

/**
 * `factmill backfill`: computes the vectors that memories and documents lack, in this process, or by the API in the
 * running instance.
 */
export function addBackfillCommand(program: Command): void {
  program
    .command('backfill')
    .description('compute the vectors that memories and documents lack, oldest first; none twice')
    .option('--batch-size <texts>', 'texts at a time', parseWhole(1, 2_048), 8)
    .option('--pause-ms <ms>', 'rest between two batches', parseWhole(0, 3_600_000), 2_000)
    .option('--tenant <name>', 'of one tenant only')
    .action((options: Options, command: Command) => {
      const target = targetOf(command);
      if (target.kind === 'database') return withEmbedder((context) => backfill(context, options));
      assertNoneGiven(command);
      return backfillByApi(clientOf(target));
    });
}

/** A running instance computes vectors in its own batches, of all tenants. */
function assertNoneGiven(command: Command): void {
  for (const [option, flag] of [
    ['batchSize', '--batch-size'],
    ['pauseMs', '--pause-ms'],
    ['tenant', '--tenant'],
  ] as const) {
    if (command.getOptionValueSource(option) !== 'cli') continue;
    throw new AppError(
      'invalid_request',
      `${flag} needs DATABASE_URL: a running instance does this in its own way.`,
    );
  }
}

async function backfill(
  { database, config, embedder: configured, models, signal }: EmbedderContext,
  options: Options,
): Promise<void> {
  const tenantId = options.tenant === undefined ? null : await findTenantId(database, options.tenant);
  if (tenantId === undefined) throw new AppError('not_found', 'There is no tenant with this name.');
  const { embedder } = await models.inUse();
  if (embedder === configured) await registerConfigured({ database, config, configured }, signal);
  const profile = await embedder.loadProfile({ signal });
  if (profile === null) throw new Error('an embedder that embeds has a profile');
  const { stored, refused } = await backfillVectors(
    {
      database,
      embedder,
      model: profile.id,
      pause: (signal) => delay(options.pauseMs, undefined, { signal }),
      onProgress: (counts) => print(`${counts.stored} vectors`),
    },
    { tenantId, batchSize: options.batchSize },
    signal,
  ).catch((error: unknown) => {
    throw signal.aborted ? signal.reason : error;
  });
  if (refused > 0) print(`${refused} texts are refused by the model; they are found by their words.`);
  print(stored === 0 ? 'No vector was missing.' : `Done: ${stored} vectors of ${profile.id}.`);
}
