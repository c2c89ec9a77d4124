import { hideOthers } from '@factmill/auth';
import type { Config } from '@factmill/config';
import { presetNamed } from '@factmill/extraction';
import { createHttpApp, knownMethods } from '@factmill/http';
import { createChecks, createReadiness, VERSION } from '@factmill/runtime';
import type { Telemetry } from '@factmill/telemetry';
import type { Express, RequestHandler } from 'express';
import { createChatProxy } from './chat/chat-routes.ts';
import { isMemoryOn } from './chat/is-memory-on.ts';
import { addConsole } from './console/add-console.ts';
import type { createGatewayLimits } from './gateway-limits.ts';
import { documentedPaths } from './reference/openapi.ts';
import { referenceRoutes } from './reference/reference-routes.ts';
import type { RouteDeps } from './route-deps.ts';
import { adminQueueRoutes, browserChallenge, BULL_BOARD_PATH } from './routes/admin-queues.ts';
import { addImportRoutes } from './routes/import-users.ts';
import { v1Routes } from './routes/v1-routes.ts';
import { mcpRoutes } from './tools/mcp-server.ts';
import { createMemoryTool } from './tools/memory-tool.ts';

export type GatewayAppDeps = Readonly<{
  config: Config;
  telemetry: Telemetry;
  routes: RouteDeps;
  callerLimits: ReturnType<typeof createGatewayLimits>;
  /** Records accesses in the audit. */
  watchAccess: RequestHandler;
  /** Where the console's build is, if not in its package. */
  consoleFolder?: string;
}>;

/** `/health` waits no longer than this for another service. */
const RETRIEVAL_PATIENCE_MS = 500;

/** The Express application: every path of the gateway, in the order in which requests meet them. */
export function createGatewayApp(deps: GatewayAppDeps): {
  app: Express;
  chat: ReturnType<typeof createChatProxy>;
} {
  const { config, routes, callerLimits, watchAccess } = deps;
  const { authenticateSession, beforeBody, afterBody } = callerLimits;
  const authenticate = [callerLimits.authenticate, watchAccess];
  const chat = createChatProxy(routes);
  const health = healthOf(config, routes);
  const app = createHttpApp({
    service: 'gateway',
    version: VERSION,
    logger: routes.logger,
    telemetry: deps.telemetry,
    maxBodyBytes: config.gateway.maxBodyBytes,
    bodyBudgetBytes: config.gateway.bodyBudgetBytes,
    bodyTimeoutMs: config.http.bodyTimeoutMs,
    browsers: config.browsers,
    trustProxy: config.limits.trustProxy,
    isOpenAiPath: chat.isUpstreamPath,
    health,
    streamingRoutes: (app, budget) => {
      addImportRoutes(app, { deps: routes, budget, admit: [...routes.admit, ...afterBody] });
      chat.routes(app, budget);
    },
    routes: (app, readBody) => {
      // The busiest routes first: every router before them costs each request.
      const methods = knownMethods(documentedPaths());
      app.use('/v1', authenticateSession, watchAccess, beforeBody, readBody, afterBody, methods.beforeRoutes);
      for (const { path, router } of v1Routes(routes)) app.use(path, router);
      app.use('/v1', methods.afterRoutes, hideOthers);
      app.use(
        '/mcp',
        authenticate,
        beforeBody,
        readBody,
        afterBody,
        methods.beforeRoutes,
        mcpRoutes({ tool: createMemoryTool(routes), logger: routes.logger }),
      );
      app.use(referenceRoutes(VERSION, config.auth.mode === 'required'));
      addConsole(app, {
        ...routes,
        authenticateSession,
        describe: health.describe,
        folder: deps.consoleFolder,
      });
      app.use(methods.afterRoutes);
      app.use(BULL_BOARD_PATH, browserChallenge);
      app.use(...authenticate, readBody);
      app.use(BULL_BOARD_PATH, adminQueueRoutes(routes));
    },
  });
  return { app, chat };
}

function healthOf(
  config: Config,
  { database, settings, retrieval }: RouteDeps,
): Parameters<typeof createHttpApp>[0]['health'] {
  return {
    describe: () => ({
      auth: config.auth.mode,
      storage: config.storage.databaseUrl === null ? 'embedded' : 'postgres',
      queue: config.storage.redis === null ? 'postgres' : 'redis',
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
    readiness: createReadiness({ database: database.list }),
    unreachable: createChecks(
      {
        retrieval: () => retrieval.isReady(AbortSignal.timeout(RETRIEVAL_PATIENCE_MS)),
      },
      RETRIEVAL_PATIENCE_MS,
    ),
  };
}
