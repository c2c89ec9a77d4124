import { createLatest } from '@factmill/async';
import { type Authenticator, hideOthers } from '@factmill/auth';
import type { Config } from '@factmill/config';
import { OPERATIONS } from '@factmill/contracts';
import {
  type DatabasePool,
  findDropped,
  listTenantLimits,
  readSettings,
  type Sql,
  type TenantLimits,
} from '@factmill/database';
import { presetNamed, scheduleOf } from '@factmill/extraction';
import { createHttpApp, knownMethods, listen } from '@factmill/http';
import { createEnqueueAccepted, createFindDropped, createQueueLimits, type Queues } from '@factmill/queue';
import {
  createAuditAccess,
  createChecks,
  createReadiness,
  createUsageMeter,
  createUserDefaults,
  VERSION,
} from '@factmill/runtime';
import type { Logger, Telemetry } from '@factmill/telemetry';
import type { Express } from 'express';
import { createAccept } from './accepting/accept.ts';
import { createDocumentCutter } from './documents/document-cutter.ts';
import { createChatProxy } from './chat/chat-routes.ts';
import { isMemoryOn } from './chat/is-memory-on.ts';
import { adminQueueRoutes, browserChallenge, BULL_BOARD_PATH } from './routes/admin-queues.ts';
import { referenceRoutes } from './reference/reference-routes.ts';
import { createMemoryTool } from './tools/memory-tool.ts';
import { mcpRoutes } from './tools/mcp-server.ts';
import { createGatewayLimits } from './gateway-limits.ts';
import { newId } from './new-id.ts';
import type { RouteDeps } from './route-deps.ts';
import { addImportRoutes } from './routes/import-users.ts';
import { v1Routes } from './routes/v1-routes.ts';

export type GatewayDeps = Readonly<{
  config: Config;
  logger: Logger;
  telemetry: Telemetry;
  database: DatabasePool;
  queues: Queues;
  authenticator: Authenticator;
  /** How long a request waits for the Redis that shares the rates. Default 50 ms. */
  limitsAnswerMs?: number;
}>;

export type Gateway = Readonly<{
  url: string;
  port: number;
  /** The Express application, for inspecting its routes. */
  app: Express;
  close: () => Promise<void>;
}>;

/** How long settings of run time are used before they are read again. */
const SETTINGS_READ_EVERY_MS = 1_000;
/** `/health` waits no longer than this for another service. */
const RETRIEVAL_PATIENCE_MS = 500;

/**
 * The HTTP entry: authenticates, validates, stores, enqueues, answers. It serves as soon as the promise resolves. The
 * caller closes the database and the queue.
 */
export async function createGateway(deps: GatewayDeps): Promise<Gateway> {
  const { config, logger, queues } = deps;
  const { list, accept, batch } = config.storage.statementTimeoutsMs;
  const database = {
    list: deps.database.within(list),
    accept: deps.database.within(accept),
    batch: deps.database.within(batch),
  };
  // One statement accepts for several tenants, and may drop the oldest extraction of any.
  const acceptingForAll = deps.database.as('system').within(accept);
  const settings = createLatest<Readonly<Record<string, unknown>>>({
    load: () => readSettings(database.accept),
    initial: {},
    everyMs: SETTINGS_READ_EVERY_MS,
    now: Date.now,
  });
  const limits = createQueueLimits({
    readSettings: settings.read,
    configured: config.scheduling.limits,
    now: Date.now,
  });
  const enqueueAccepted = createEnqueueAccepted({
    queues,
    logger,
    findDropped: createFindDropped(limits, (ids) => findDropped(acceptingForAll, ids)),
  });
  const schedule = scheduleOf({ ...config.scheduling, timeZone: config.timeZone });
  const tenantLimits = createLatest<ReadonlyMap<string, TenantLimits>>({
    load: () => listTenantLimits(database.accept),
    initial: new Map(),
    everyMs: SETTINGS_READ_EVERY_MS,
    now: Date.now,
  });
  const callerLimits = createGatewayLimits({ ...deps, tenantLimits });
  const { beforeBody, afterBody } = callerLimits;
  const audit = createAuditAccess({ database: acceptingForAll, logger });
  const authenticate = [callerLimits.authenticate, audit.watch];
  const documentCutter = createDocumentCutter(config.embedding);
  const accepting = createAccept({
    database: acceptingForAll,
    limits: config.scheduling.limits,
    schedule,
    enqueueAccepted,
    sharesSession: config.storage.databaseUrl === null && config.storage.redisUrl === null,
  });
  const closing = new AbortController();
  const usage = createUsageMeter({ database: acceptingForAll, prices: config.modelPrices, logger });
  const routes: RouteDeps = {
    config,
    logger,
    database,
    allTenants: deps.database.as('system').within(batch),
    queues,
    authenticator: deps.authenticator,
    admit: [...authenticate, ...beforeBody],
    chatTurn: callerLimits.chatTurn,
    takeTurn: callerLimits.takeTurn,
    limits,
    settings,
    schedule,
    accept: accepting.accept,
    usage,
    userDefaults: createUserDefaults({ database: database.list, now: () => performance.now() }),
    documentCutter,
    closing: closing.signal,
    now: () => new Date(),
    newId,
  };
  const chat = createChatProxy(routes);
  const app = createHttpApp({
    service: 'gateway',
    version: VERSION,
    logger,
    telemetry: deps.telemetry,
    maxBodyBytes: config.gateway.maxBodyBytes,
    bodyBudgetBytes: config.gateway.bodyBudgetBytes,
    bodyTimeoutMs: config.http.bodyTimeoutMs,
    browsers: config.browsers,
    trustProxy: config.limits.trustProxy,
    isOpenAiPath: chat.isUpstreamPath,
    health: healthOf(config, database.list, settings),
    streamingRoutes: (app, budget) => {
      addImportRoutes(app, { deps: routes, budget, admit: [...routes.admit, ...afterBody] });
      chat.routes(app, budget);
    },
    routes: (app, readBody) => {
      // The busiest routes first: every router before them costs each request.
      const methods = knownMethods(OPERATIONS);
      app.use('/v1', authenticate, beforeBody, readBody, afterBody, methods.beforeRoutes);
      for (const { path, router } of v1Routes(routes)) app.use(path, router);
      app.use('/v1', methods.afterRoutes, hideOthers);
      app.use(
        '/mcp',
        authenticate,
        beforeBody,
        readBody,
        afterBody,
        mcpRoutes({ tool: createMemoryTool(routes), logger }),
      );
      app.use(referenceRoutes(VERSION));
      app.get('/', (_request, response) => {
        response.redirect('/docs');
      });
      app.use(BULL_BOARD_PATH, browserChallenge);
      app.use(...authenticate, readBody);
      app.use(BULL_BOARD_PATH, adminQueueRoutes(routes));
    },
  });
  const server = await listen(app, {
    host: config.host,
    port: config.gateway.port,
    setting: 'GATEWAY_PORT',
    maxConnections: config.http.maxConnections,
  });
  logger.info({ url: server.url }, 'gateway is listening');
  return {
    url: server.url,
    port: server.port,
    app,
    async close() {
      closing.abort();
      await server.close(config.shutdownGraceMs);
      await chat.close();
      await accepting.settled();
      await documentCutter.close();
      await usage.close();
      callerLimits.close();
      await audit.close();
    },
  };
}

function healthOf(
  config: Config,
  database: Sql,
  settings: RouteDeps['settings'],
): Parameters<typeof createHttpApp>[0]['health'] {
  return {
    describe: () => ({
      auth: config.auth.mode,
      storage: config.storage.databaseUrl === null ? 'embedded' : 'postgres',
      queue: config.storage.redisUrl === null ? 'postgres' : 'redis',
      extraction: config.extractor.chatModel === null ? 'extractive' : config.extractor.chatModel.model,
      embedding: config.embedding.provider,
      preset: config.scheduling.preset,
      chat: config.gateway.chat.upstreams.map((upstream) => ({
        name: upstream.name,
        memory: isMemoryOn(
          upstream,
          presetNamed(upstream.preset ?? config.scheduling.preset),
          settings.known(),
        ),
      })),
    }),
    readiness: createReadiness({ database }),
    unreachable: createChecks(
      {
        retrieval: async () => {
          const answer = await fetch(`${config.gateway.retrievalUrl}/readyz`, {
            signal: AbortSignal.timeout(RETRIEVAL_PATIENCE_MS),
          });
          await answer.body?.cancel();
          return answer.ok;
        },
      },
      RETRIEVAL_PATIENCE_MS,
    ),
  };
}
