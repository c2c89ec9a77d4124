import type { Client } from '@factmill/client';
import { loadProcessEnvironment } from '@factmill/config';
import {
  beginEmbeddingBuild,
  countVectors,
  type DatabasePool,
  dropEmbeddings,
  findActiveEmbeddingModel,
  findEmbeddingModel,
  listEmbeddingBuilds,
  listEmbeddingModels,
} from '@factmill/database';
import { AppError } from '@factmill/errors';
import { buildVectors, registerConfigured } from '@factmill/vectors';
import type { Command } from 'commander';
import { setTimeout as delay } from 'node:timers/promises';
import { v7 as newId } from 'uuid';
import { parseWhole } from './parse-whole.ts';
import { printCounts } from './print-counts.ts';
import { countByApi, dropOldByApi, reembedByApi } from './vectors-by-api.ts';
import { print } from './with-database.ts';
import { type EmbedderContext, withEmbedder } from './with-embedder.ts';
import { clientOf, targetOf } from './with-operator.ts';

type Options = Readonly<{ dryRun?: true; dropOld?: true; wait: number }>;

/** Time between two lines of progress. */
const STRETCH_MS = 2_000;
const POLL_MS = 250;
const DROPPED_AT_A_TIME = 5_000;

/** `factmill reembed`: the vectors of a newly configured model, beside those in use. */
export function addReembedCommand(program: Command): void {
  program
    .command('reembed')
    .description('build all vectors with the configured embedding model, while searches use the old ones')
    .option('--dry-run', 'only count')
    .option('--drop-old', 'delete the vectors of models that are not in use any more')
    .option(
      '--wait <seconds>',
      'for an extractor to put the model into use, once it is built',
      parseWhole(0, 86_400),
      30,
    )
    .action((options: Options, command: Command) => {
      const target = targetOf(command);
      if (target.kind === 'api') return byApi(clientOf(target), options);
      return withEmbedder((context) => {
        if (options.dryRun) return count(context);
        return options.dropOld ? dropOld(context) : reembed(context, options.wait * 1_000);
      });
    });
}

function byApi(client: Client, options: Options): Promise<void> {
  if (options.dryRun) return countByApi(client, loadProcessEnvironment());
  return options.dropOld ? dropOldByApi(client) : reembedByApi(client);
}

/** Counts only; does not even register the model. */
async function count({ database, embedder, signal }: EmbedderContext): Promise<void> {
  const profile = await embedder.loadProfile({ signal });
  if (profile === null) throw new Error('an embedder that embeds has a profile');
  const active = await findActiveEmbeddingModel(database);
  const likeModel = active === undefined || active.id === profile.id ? null : active.id;
  const counts = await countVectors(database, { model: profile.id, likeModel, tenantId: null });
  printCounts(
    {
      in_use: active?.id ?? null,
      model: profile.id,
      memories: counts.memories,
      memories_to_embed: counts.memoriesToEmbed,
      document_parts: counts.chunks,
      document_parts_to_embed: counts.chunksToEmbed,
      characters_to_embed: counts.charactersToEmbed,
    },
    profile.dimensions,
  );
}

async function reembed(context: EmbedderContext, waitMs: number): Promise<void> {
  const { database, config, embedder, signal } = context;
  const registered = await registerConfigured({ database, config, configured: embedder }, signal);
  if (registered === null) throw new Error('an embedder that embeds has a profile');
  const { id: model } = registered.profile;
  if (registered.state === 'active') {
    print(`${model} is in use already; what its vectors lack, extractors and factmill backfill make up for.`);
    return;
  }
  await beginEmbeddingBuild(database, model, true);
  print(`Building the vectors of ${model}; searches go on with those of the model in use.`);
  const worker = newId();
  for (let line = ''; ;) {
    const outcome = await buildVectors(
      { database, embedder, model, worker, now: Date.now },
      Date.now() + STRETCH_MS,
      signal,
    ).catch((error: unknown) => {
      throw signal.aborted ? signal.reason : error;
    });
    const progress = await progressOf(database, model);
    if (progress !== line) print(progress);
    line = progress;
    const state = (await findEmbeddingModel(database, model))?.state;
    if (outcome === 'built' || state === 'active') break;
    if (state !== 'building') throw new AppError('state_conflict', 'The build was ended by another command.');
    if (outcome === 'elsewhere') await delay(POLL_MS, undefined, { signal });
  }
  await untilInUse(context, model, waitMs);
}

async function progressOf(database: DatabasePool, model: string): Promise<string> {
  const build = (await listEmbeddingBuilds(database)).find((one) => one.model === model);
  if (build === undefined) return 'all vectors';
  return `${build.done} of ${build.total} vectors${build.pass > 1 ? ', looking for later ones' : ''}`;
}

async function isActive(database: DatabasePool, model: string): Promise<boolean> {
  return (await findEmbeddingModel(database, model))?.state === 'active';
}

/**
 * Waits until an extractor with this model in its configuration puts it into use. Only then can every writer call
 * it.
 */
async function untilInUse(
  { database, signal }: EmbedderContext,
  model: string,
  waitMs: number,
): Promise<void> {
  const untilMs = Date.now() + waitMs;
  while (!(await isActive(database, model))) {
    if (Date.now() > untilMs) {
      print('All vectors are there. Give all services the same EMBEDDING_* settings and restart them:');
      print('an extractor then adds what has come since, and puts the model into use.');
      return;
    }
    await delay(POLL_MS, undefined, { signal });
  }
  print(`Searches use ${model} now. factmill reembed --drop-old deletes the old vectors.`);
}

async function dropOld({ database, embedder, signal }: EmbedderContext): Promise<void> {
  const configured = (await embedder.loadProfile({ signal }))?.id;
  const models = await listEmbeddingModels(database);
  const old = models.filter(
    ({ id, state }) => state === 'retired' || (state === 'building' && id !== configured),
  );
  for (const { id } of old) {
    let dropped = 0;
    for (;;) {
      signal.throwIfAborted();
      const some = await dropEmbeddings(database, id, DROPPED_AT_A_TIME);
      if (some === 0) break;
      dropped += some;
    }
    print(`${id}: ${dropped} vectors deleted.`);
  }
  if (old.length === 0) print('There are no old vectors.');
}
