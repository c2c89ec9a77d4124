import type { Client } from '@factmill/client';
import { loadConfig, type RawEnvironment } from '@factmill/config';
import type { Vectors } from '@factmill/contracts';
import { AppError } from '@factmill/errors';
import { createEmbedder } from '@factmill/models';
import { setTimeout as delay } from 'node:timers/promises';
import { printCounts } from './print-counts.ts';
import { print } from './with-database.ts';

/** Counting reads all memories, so it is not done more often. */
const POLL_MS = 1_000;
/** After this long without a new vector a command stops waiting. */
const STALLED_AFTER_MS = 60_000;

/** `factmill backfill` by the API: the instance computes the vectors; this waits until none is missing. */
export async function backfillByApi({ vectors }: Client): Promise<void> {
  const before = missingOf(await vectors.count());
  await vectors.backfill();
  const { in_use: model } = await vectors.count();
  if (before === 0 || model === null) {
    print('No vector was missing.');
    return;
  }
  let shown = 0;
  await untilStill(async () => {
    const missing = missingOf(await vectors.count({ model }));
    if (before - missing > shown) print(`${before - missing} vectors`);
    shown = Math.max(shown, before - missing);
    return missing;
  });
  print(`Done: ${shown} vectors of ${model}.`);
}

/**
 * `factmill reembed --dry-run` by the API: counts for the model of this command's environment when it names one, else
 * for the model that the instance builds or uses.
 */
export async function countByApi({ vectors }: Client, environment: RawEnvironment): Promise<void> {
  const namesModel = ['EMBEDDING_PROVIDER', 'EMBEDDING_BASE_URL', 'EMBEDDING_MODEL'].some(
    (name) => (environment[name] ?? '') !== '',
  );
  if (!namesModel) {
    printCounts(await vectors.count(), null);
    return;
  }
  const embedder = createEmbedder(loadConfig(environment).embedding);
  try {
    const profile = await embedder.loadProfile();
    if (profile === null) {
      throw new AppError('config_invalid', 'There is no embedding model: EMBEDDING_PROVIDER is none.');
    }
    printCounts(await vectors.count({ model: profile.id }), profile.dimensions);
  } finally {
    await embedder.close();
  }
}

/** `factmill reembed` by the API: the instance builds the vectors of the model it was started with. */
export async function reembedByApi({ vectors }: Client): Promise<void> {
  const { model, state } = await vectors.rebuild();
  if (state === 'active') {
    print(`${model} is in use already; what its vectors lack, extractors and factmill backfill make up for.`);
    return;
  }
  print(`Building the vectors of ${model}; searches go on with those of the model in use.`);
  let line = '';
  await untilStill(async () => {
    const counts = await vectors.count({ model });
    const build = counts.building.find((one) => one.model === model);
    const progress = build === undefined ? 'all vectors' : `${build.done} of ${build.total} vectors`;
    if (progress !== line) print(progress);
    line = progress;
    return counts.in_use === model ? 0 : Math.max(1, missingOf(counts));
  });
  print(`Searches use ${model} now. factmill reembed --drop-old deletes the old vectors.`);
}

/** `factmill reembed --drop-old` by the API. */
export async function dropOldByApi({ vectors }: Client): Promise<void> {
  const deleted = new Map<string, number>();
  for (let more = true; more;) {
    const some = await vectors.dropOld();
    for (const { model, vectors: count } of some.deleted) {
      deleted.set(model, (deleted.get(model) ?? 0) + count);
    }
    ({ more } = some);
  }
  for (const [model, count] of deleted) print(`${model}: ${count} vectors deleted.`);
  if (deleted.size === 0) print('There are no old vectors.');
}

function missingOf({ memories_to_embed: memories, document_parts_to_embed: parts }: Vectors): number {
  return memories + parts;
}

/**
 * Asks until nothing is left.
 *
 * @throws AppError `overloaded` when what is left has not changed for a minute
 */
async function untilStill(left: () => Promise<number>): Promise<void> {
  let last = Number.POSITIVE_INFINITY;
  let changedAt = performance.now();
  for (;;) {
    const now = await left();
    if (now === 0) return;
    if (now !== last) changedAt = performance.now();
    last = now;
    if (performance.now() - changedAt > STALLED_AFTER_MS) {
      throw new AppError(
        'overloaded',
        `${now} vectors are missing, and none has come for a minute: the embedding model may not answer. The instance goes on by itself.`,
      );
    }
    await delay(POLL_MS);
  }
}
