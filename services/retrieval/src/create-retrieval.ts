import { settlesWithin } from '@factmill/async';
import type { Config } from '@factmill/config';
import { OPERATIONS } from '@factmill/contracts';
import type { DatabasePool } from '@factmill/database';
import { presetNamed } from '@factmill/extraction';
import { createHttpApp, knownMethods, listen } from '@factmill/http';
import {
  createReranker,
  describeLoadError,
  type Embedder,
  type Reranker,
  reportFetch,
} from '@factmill/models';
import {
  type Access,
  createAuditAccess,
  createReadDatabase,
  createReadiness,
  createUsageMeter,
  createUserDefaults,
  type UsageMeter,
  VERSION,
} from '@factmill/runtime';
import { createResidentIndexes, createSearch } from '@factmill/search';
import { createModelsInUse } from '@factmill/vectors';
import type { Logger, Telemetry } from '@factmill/telemetry';
import { createAccessRecorder } from './access-recorder.ts';
import { contextRoutes } from './context/context-routes.ts';
import { createLoadContext } from './context/load-context.ts';
import { createEmbedQuery } from './embed-query.ts';
import { createRetrievalLimits } from './retrieval-limits.ts';
import { searchRoutes } from './search-routes.ts';

/** How long a start waits for its models. Searches that come before say what is missing. */
const LOADING_MS = 30_000;

/** The operations of the REST API that the gateway forwards to this service. */
const SERVED = OPERATIONS.filter(({ path }) => ['/v1/memories/search', '/v1/context'].includes(path));

export type RetrievalDeps = Readonly<{
  config: Config;
  logger: Logger;
  telemetry: Telemetry;
  database: DatabasePool;
  /** A replica of it that searches read from when it has all; default: none. */
  replica?: DatabasePool | null;
  embedder: Embedder;
  authenticator: Access;
  /** Default: the clock of the machine. */
  now?: () => Date;
}>;

export type Retrieval = Readonly<{ url: string; port: number; close: () => Promise<void> }>;

/**
 * The read side: search over HTTP. It serves as soon as the promise resolves; a local embedding model is loaded by
 * then, so that the first search can use vectors. Readiness needs only the database, because search also works
 * without vectors. The caller closes the database and the embedder.
 */
export async function createRetrieval(deps: RetrievalDeps): Promise<Retrieval> {
  const { config, database, embedder, logger } = deps;
  const { searchMode } = config.retrieval;
  const hasMode = searchMode !== 'of-preset';
  if (searchMode === null) logger.warn('SEARCH_MODE names no mode: searches are classic');
  const { preset, memory: numbers } = config.retrieval;
  const defaultMode =
    searchMode === 'of-preset' ? presetNamed(preset).retrieval.mode : (searchMode ?? 'classic');
  const { now = () => new Date() } = deps;
  const reranker = createReranker(config.retrieval.rerank, { now: Date.now, onFetch: reportFetch(logger) });
  // One statement counts for several tenants.
  const accesses = createAccessRecorder({ database: database.as('system'), logger, now });
  const usage = createUsageMeter({ database: database.as('system'), prices: config.modelPrices, logger });
  const models = createModelsInUse({
    database,
    config: config.embedding,
    configured: embedder,
    now: Date.now,
  });
  const embedding = async () => (await models.inUse()).embedder.load();
  await Promise.all([
    loadModel('embedding', embedding, logger),
    ...(reranker === null ? [] : [loadModel('reranking', reranker.load, logger)]),
  ]);
  const reading = createReadDatabase({ primary: database, replica: deps.replica ?? null, logger });
  const { pick: pickDatabase } = reading;
  const search = createSearch({
    database,
    pickDatabase,
    embedQuery: createEmbedQuery({
      database,
      models,
      config: config.embedding,
      queryTimeoutMs: config.retrieval.queryTimeoutMs,
      usage,
      now: Date.now,
    }),
    residents: createResidentIndexes({ database, pickDatabase, now: () => performance.now() }),
    reranker: reranker && billed(reranker, usage),
    defaultMode,
    searchesTurns: config.searchTurns,
    recordAccesses: accesses.record,
    logger,
    now,
  });
  const loadContext = createLoadContext({ database, search, hasMode });
  const userDefaults = createUserDefaults({ database, now: () => performance.now() });
  const common = { defaultUserId: config.auth.defaultUserId, preset, numbers, userDefaults };
  const limits = createRetrievalLimits({ config, authenticator: deps.authenticator });
  const audit = createAuditAccess({ database, logger });
  const app = createHttpApp({
    service: 'retrieval',
    version: VERSION,
    logger,
    telemetry: deps.telemetry,
    maxBodyBytes: config.retrieval.maxBodyBytes,
    bodyBudgetBytes: config.retrieval.bodyBudgetBytes,
    bodyTimeoutMs: config.http.bodyTimeoutMs,
    browsers: config.browsers,
    trustProxy: config.limits.trustProxy,
    health: {
      describe: () => ({
        auth: config.auth.mode,
        embedding: config.embedding.provider,
        search_mode: defaultMode,
        rerank: config.retrieval.rerank.provider,
      }),
      readiness: createReadiness({ database }),
    },
    routes: (app, readBody) => {
      const methods = knownMethods(SERVED);
      app.use(limits.authenticate, audit.watch, readBody, limits.afterBody, methods.beforeRoutes);
      app.use('/v1', searchRoutes({ ...common, search, defaultMode, hasMode }));
      app.use('/v1', contextRoutes({ ...common, database, loadContext }));
      app.use(methods.afterRoutes);
    },
  });
  const server = await listen(app, {
    host: config.host,
    port: config.retrieval.port,
    setting: 'RETRIEVAL_PORT',
    maxConnections: config.http.maxConnections,
  });
  logger.info({ url: server.url }, 'retrieval is listening');
  return {
    url: server.url,
    port: server.port,
    async close() {
      await server.close(config.shutdownGraceMs);
      limits.close();
      await audit.close();
      await accesses.close();
      await usage.close();
      await reranker?.close();
      await models.close();
      await reading.close();
    },
  };
}

/** The reranker with its calls counted for who searches. */
function billed(
  reranker: Reranker,
  usage: UsageMeter,
): NonNullable<Parameters<typeof createSearch>[0]['reranker']> {
  return {
    ...reranker,
    rerank: (query, documents, { tenantId, userId }) =>
      reranker.rerank(query, documents, ({ model, tokens }) =>
        usage.recordLater(tenantId, {
          userId: userId ?? '',
          model,
          purpose: 'rerank',
          inputTokens: tokens,
          outputTokens: 0,
        }),
      ),
  };
}

/**
 * A model that cannot be loaded does not stop the service: searches use text only, and say what is missing. One that
 * has to be fetched first does not hold it up for long.
 */
async function loadModel(kind: string, load: () => Promise<void>, logger: Logger): Promise<void> {
  const loading = load().catch((error: unknown) => {
    logger.warn(describeLoadError(error), `the ${kind} model could not be loaded`);
  });
  await settlesWithin(loading, LOADING_MS);
}
