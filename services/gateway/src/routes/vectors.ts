import { requirePermission } from '@factmill/auth';
import { type droppedVectorsSchema, type Vectors, vectorsQuerySchema } from '@factmill/contracts';
import {
  beginEmbeddingBuild,
  countVectors,
  DEFAULT_TENANT_ID,
  dropEmbeddings,
  findActiveEmbeddingModel,
  findEmbeddingModel,
  listEmbeddingBuilds,
  listEmbeddingModels,
  type Sql,
} from '@factmill/database';
import { AppError } from '@factmill/errors';
import { validate } from '@factmill/http';
import { createEmbedder, type Embedder } from '@factmill/models';
import { embedJob } from '@factmill/queue';
import { checkVectors, registerConfigured } from '@factmill/vectors';
import { Router } from 'express';
import type { z } from 'zod';
import { enqueueSoon } from '../enqueue-soon.ts';
import type { RouteDeps } from '../route-deps.ts';

/** Vectors deleted by one request. */
const DROPPED_AT_A_TIME = 5_000;

/** `/v1/vectors`: the vectors of all tenants, for operators (B9, C14). Extractors compute them. */
export function vectorRoutes(deps: RouteDeps): Router {
  const router = Router();
  router.use(requirePermission('operator'));
  /** Workers find by themselves what is to be done, within ten seconds. */
  const embedSoon = () => enqueueSoon(deps, embedJob({ tenantId: DEFAULT_TENANT_ID }, deps.newId()));

  router.get('/', async (request, response) => {
    const query = validate(vectorsQuerySchema, request.query);
    const database = deps.allTenants;
    const builds = await listEmbeddingBuilds(database);
    const inUse = (await findActiveEmbeddingModel(database))?.id ?? null;
    const model = query.model ?? builds[0]?.model ?? inUse;
    // No model has the empty name, so everything counts as missing.
    const counts = await countVectors(database, {
      model: model ?? '',
      likeModel: inUse === model ? null : inUse,
      tenantId: null,
    });
    response.json({
      in_use: inUse,
      building: builds.map(({ model, done, total, pass }) => ({ model, done, total, pass })),
      model,
      memories: counts.memories,
      memories_to_embed: counts.memoriesToEmbed,
      document_parts: counts.chunks,
      document_parts_to_embed: counts.chunksToEmbed,
      characters_to_embed: counts.charactersToEmbed,
    } satisfies Vectors);
  });

  router.post('/backfill', async (_request, response) => {
    const database = deps.allTenants;
    const model =
      (await findActiveEmbeddingModel(database))?.id ??
      (await withConfigured((configured) => register(configured))).model;
    const found = await checkVectors(database, model, new AbortController().signal);
    if (found > 0) await embedSoon();
    response.status(202).json({ found });
  });

  router.post('/rebuild', async (_request, response) => {
    const { model, state } = await withConfigured((configured) => register(configured));
    if (state !== 'active') {
      await beginEmbeddingBuild(deps.allTenants, model, true);
      await embedSoon();
    }
    const begun = await findEmbeddingModel(deps.allTenants, model);
    response.status(202).json({ model, state: begun?.state ?? state });
  });

  router.delete('/', async (_request, response) => {
    const configured = await withConfigured((embedder) => embedder.loadProfile());
    const models = await listEmbeddingModels(deps.allTenants);
    const old = models.filter(
      ({ id, state }) => state === 'retired' || (state === 'building' && id !== configured?.id),
    );
    response.json(await dropVectors(deps.allTenants, old));
  });

  /** @throws AppError `state_conflict` when there is no embedding model; errors of the embedder */
  async function withConfigured<T>(work: (configured: Embedder) => Promise<T>): Promise<T> {
    if (deps.config.embedding.provider === 'none') {
      throw new AppError('state_conflict', 'There is no embedding model: EMBEDDING_PROVIDER is none.');
    }
    const configured = createEmbedder(deps.config.embedding);
    try {
      return await work(configured);
    } finally {
      await configured.close();
    }
  }

  async function register(configured: Embedder) {
    const { embedding: config } = deps.config;
    const registered = await registerConfigured({ database: deps.allTenants, config, configured });
    if (registered === null) throw new Error('an embedder that embeds has a profile');
    return { model: registered.profile.id, state: registered.state };
  }

  return router;
}

/** Deletes the vectors of these models, as many as one request may. */
async function dropVectors(
  database: Sql,
  models: readonly Readonly<{ id: string }>[],
): Promise<z.infer<typeof droppedVectorsSchema>> {
  const deleted: { model: string; vectors: number }[] = [];
  let left = DROPPED_AT_A_TIME;
  for (const { id } of models) {
    let vectors = 0;
    // The call that finds none drops the index of the model.
    for (let some = -1; some !== 0 && left > 0; left -= some, vectors += some) {
      some = await dropEmbeddings(database, id, left);
    }
    if (vectors > 0) deleted.push({ model: id, vectors });
  }
  return { deleted, more: left === 0 };
}
