import { createLatest } from '@factmill/async';
import type { Config } from '@factmill/config';
import {
  type Database,
  type DatabasePool,
  findDropped,
  listTenantLimits,
  readSettings,
  type TenantLimits,
} from '@factmill/database';
import { scheduleOf } from '@factmill/extraction';
import { listen } from '@factmill/http';
import { createEnqueueAccepted, createFindDropped, createQueueLimits, type Queues } from '@factmill/queue';
import { type Access, createAuditAccess, createUsageMeter, createUserDefaults } from '@factmill/runtime';
import type { Logger, Telemetry } from '@factmill/telemetry';
import type { Express } from 'express';
import { createAccept } from './accepting/accept.ts';
import { createDocumentCutter } from './documents/document-cutter.ts';
import { createSessionAccess } from './console/session-access.ts';
import { createGatewayApp } from './gateway-app.ts';
import { createGatewayLimits } from './gateway-limits.ts';
import { newId } from './new-id.ts';
import { createRetrievalClient } from './retrieval/retrieval-client.ts';
import type { RouteDeps } from './route-deps.ts';

export type GatewayDeps = Readonly<{
  config: Config;
  logger: Logger;
  telemetry: Telemetry;
  database: DatabasePool;
  queues: Queues;
  authenticator: Access;
  /** Where the console's build is, if not in its package. */
  consoleFolder?: string;
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
  const schedule = scheduleOf({ ...config.scheduling, timeZone: config.timeZone });
  const tenantLimits = createLatest<ReadonlyMap<string, TenantLimits>>({
    load: () => listTenantLimits(database.accept),
    initial: new Map(),
    everyMs: SETTINGS_READ_EVERY_MS,
    now: Date.now,
  });
  const sessions = createSessionAccess({ ...deps.authenticator.sessions, ...config.console });
  const callerLimits = createGatewayLimits({ ...deps, tenantLimits, sessions });
  const audit = createAuditAccess({ database: acceptingForAll, logger });
  const documentCutter = createDocumentCutter(config.embedding);
  const accepting = openAccepting(deps, { database: acceptingForAll, limits, schedule });
  const closing = new AbortController();
  const usage = createUsageMeter({ database: acceptingForAll, prices: config.modelPrices, logger });
  const retrieval = createRetrievalClient({
    urls: config.gateway.retrievalUrls,
    now: () => performance.now(),
  });
  const routes: RouteDeps = {
    config,
    logger,
    database,
    allTenants: deps.database.as('system').within(batch),
    queues,
    retrieval,
    authenticator: deps.authenticator,
    admit: [callerLimits.authenticate, audit.watch, ...callerLimits.beforeBody],
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
  const { app, chat } = createGatewayApp({ ...deps, routes, callerLimits, watchAccess: audit.watch });
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

/** Stores what is accepted, and puts it into the queue. */
function openAccepting(
  { config, logger, queues }: GatewayDeps,
  { database, limits, schedule }: Pick<RouteDeps, 'limits' | 'schedule'> & Readonly<{ database: Database }>,
) {
  return createAccept({
    database,
    limits: config.scheduling.limits,
    schedule,
    enqueueAccepted: createEnqueueAccepted({
      queues,
      logger,
      findDropped: createFindDropped(limits, (extractions) => findDropped(database, extractions)),
    }),
    sharesSession: config.storage.databaseUrl === null && config.storage.redis === null,
  });
}
