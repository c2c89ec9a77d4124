import { AppError } from '@factmill/errors';
import type { Logger, Telemetry } from '@factmill/telemetry';
import express, { type ErrorRequestHandler, type Express, type RequestHandler } from 'express';
import { type ByteBudget, createByteBudget } from './body/byte-budget.ts';
import { jsonBody } from './body/read-json.ts';
import { type BrowserAccess, browserGuard } from './browser-guard.ts';
import { requireJson } from './json-body.ts';
import { statusOf, toAppError, toOpenAiError, toProblem } from './problem.ts';
import { localsOf, loggedIdOf, requestContext, requirePath } from './request-context.ts';
import { nameRoutes } from './route-names.ts';
import { securityHeaders } from './security-headers.ts';

type HealthChecks = Readonly<{
  /** Basic configuration for `/health`; no secrets, no addresses. */
  describe: () => Record<string, unknown>;
  /** Liveness: resolves to the reasons why this process should be restarted; empty is alive. */
  liveness?: () => Promise<readonly string[]>;
  /** Readiness: resolves to what is missing before requests can be served; empty is ready. */
  readiness: () => Promise<readonly string[]>;
  /** Impairments while requests are served: shown in `/health` and `/readyz`, without a 503. */
  impaired?: () => readonly string[];
  /**
   * Other services that do not answer: impairments too, but shown in `/health` only, because probes do not wait for
   * others.
   */
  unreachable?: () => Promise<readonly string[]>;
}>;

export type HttpAppOptions = Readonly<{
  service: string;
  version: string;
  logger: Logger;
  telemetry: Telemetry;
  health: HealthChecks;
  maxBodyBytes: number;
  browsers: BrowserAccess;
  /** Which proxies may set X-Forwarded-For: a number of hops, or addresses. Default: none. */
  trustProxy?: number | readonly string[] | false;
  /** Paths of an OpenAI-compatible API: their problems carry an `error` object as well. */
  isOpenAiPath?: (path: string) => boolean;
  /** How long a body may take to arrive. Default 60 s. */
  bodyTimeoutMs?: number;
  /** Memory limit for all bodies together. */
  bodyBudgetBytes?: number;
  /** Adds routes that read the body themselves; what they read counts against the budget. */
  streamingRoutes?: (app: Express, budget: ByteBudget) => void;
  /** Adds the service's own routes. `readBody` must come after authentication: a stranger's body is not read. */
  routes: (app: Express, readBody: RequestHandler[]) => void;
}>;

const DEFAULT_BODY_BUDGET = 64 * 1024 * 1024;
const DEFAULT_BODY_TIMEOUT_MS = 60_000;
/** How long a large body waits for room in the budget. */
const BODY_WAIT_MS = 5_000;
/** Smaller bodies do not count against the budget: thousands of them stay below it. */
const SMALL_BODY_BYTES = 64 * 1024;

/**
 * An Express application with what all services share: request ids, one trace and one log line per request,
 * bounded and checked JSON bodies, health, metrics, and problem+json for everything that goes wrong.
 */
export function createHttpApp(options: HttpAppOptions): Express {
  const app = express();
  app.disable('x-powered-by');
  app.set('etag', false);
  app.set('query parser', 'simple');
  app.set('trust proxy', options.trustProxy ?? false);
  const routeNames = nameRoutes(app);
  app.use(
    requestContext({ ...options, routeNames }),
    requirePath,
    ...securityHeaders(),
    ...browserGuard(options.browsers),
  );
  addHealthRoutes(app, options);
  const budget = createByteBudget({
    totalBytes: options.bodyBudgetBytes ?? DEFAULT_BODY_BUDGET,
    waitMs: BODY_WAIT_MS,
    freeBytes: SMALL_BODY_BYTES,
  });
  options.streamingRoutes?.(app, budget);
  const { maxBodyBytes: maxBytes, bodyTimeoutMs: timeoutMs = DEFAULT_BODY_TIMEOUT_MS } = options;
  options.routes(app, [requireJson, jsonBody({ maxBytes, timeoutMs, budget })]);
  app.use(() => {
    throw new AppError(
      'not_found',
      'There is nothing at this address. The reference is at /docs of the gateway.',
    );
  });
  app.use(problemHandler(options));
  routeNames.read();
  return app;
}

function addHealthRoutes(app: Express, options: HttpAppOptions): void {
  const { health, telemetry } = options;
  app.get('/health', async (_request, response) => {
    const [missing, unreachable] = await Promise.all([health.readiness(), health.unreachable?.() ?? []]);
    const impaired = [...(health.impaired?.() ?? []), ...unreachable];
    response.json({
      status: missing.length + impaired.length === 0 ? 'ok' : 'degraded',
      service: options.service,
      version: options.version,
      ...(missing.length === 0 ? {} : { missing }),
      ...(impaired.length === 0 ? {} : { impaired }),
      ...health.describe(),
    });
  });
  app.get('/healthz', async (_request, response) => {
    const reasons = (await health.liveness?.()) ?? [];
    response.status(reasons.length === 0 ? 200 : 503).json({ alive: reasons.length === 0, reasons });
  });
  app.get('/readyz', async (_request, response) => {
    const missing = await health.readiness();
    const impaired = health.impaired?.() ?? [];
    response.status(missing.length === 0 ? 200 : 503).json({
      ready: missing.length === 0,
      missing,
      ...(impaired.length === 0 ? {} : { impaired }),
    });
  });
  app.get('/metrics', (request, response) => {
    telemetry.metricsHandler(request, response);
  });
}

function problemHandler({ logger, isOpenAiPath }: HttpAppOptions): ErrorRequestHandler {
  return (thrown: unknown, request, response, next) => {
    const error = toAppError(thrown);
    const { requestId, eventFields } = localsOf(response);
    eventFields['code'] = error.code;
    if (error.kind === 'bug')
      logger.error({ err: thrown, request_id: loggedIdOf(response) }, 'unexpected error');
    if (response.headersSent) {
      next(error);
      return;
    }
    if (error.kind === 'unauthorized' && !response.hasHeader('WWW-Authenticate')) {
      response.setHeader('WWW-Authenticate', 'Bearer realm="factmill"');
    }
    if (error.kind === 'unavailable' || error.kind === 'limited') {
      response.setHeader('Retry-After', String(Math.max(1, Math.ceil(error.retryAfterSeconds ?? 1))));
    }
    // The rest of such a request still arrives; closing the connection drops it.
    if (error.kind === 'timeout') response.setHeader('Connection', 'close');
    const problem = toProblem(error, requestId);
    response
      .status(statusOf(error))
      .type('application/problem+json')
      .send(
        JSON.stringify(
          isOpenAiPath?.(request.path) === true
            ? { ...problem, error: toOpenAiError(error, problem) }
            : problem,
        ),
      );
  };
}
