import { type Permission, PERMISSIONS } from '@factmill/contracts';

/** A route that is not in the REST contract, with what it needs: a key with one of these permissions. */
export type UndocumentedRoute = Readonly<{
  /** `ALL` for any. */
  method: string;
  /** As Express has it. */
  path: string;
  /** `anybody` needs no key. */
  needs: readonly Permission[] | 'anybody';
  /** What a test calls, when it is not the path itself. */
  example?: string;
  body?: object;
}>;

const open = (path: string): UndocumentedRoute => ({ method: 'GET', path, needs: 'anybody' });

/** Of every service. */
export const OPERATING_ROUTES: readonly UndocumentedRoute[] = [
  open('/health'),
  open('/healthz'),
  open('/readyz'),
  open('/metrics'),
];

const CALL_OF_TOOL = { name: 'memory', arguments: { action: 'list' } };
const CHAT = { model: 'm', messages: [{ role: 'user', content: 'Where do I live?' }] };

/** The queue board: its pages and its API, by method. */
const BOARD: Readonly<Record<string, string>> = {
  GET: `
    / /queue/:queueName /queue/:queueName/:jobId /job-schedulers /metrics-history
    /api/redis/stats /api/job-schedulers /api/queues
    /api/queues/:queueName/:jobId /api/queues/:queueName/:jobId/flow /api/queues/:queueName/:jobId/logs
    /api/queues/:queueName/default-job-options /api/queues/:queueName/job-data-schema /api/queues/:queueName/metrics
    /api/queues/:queueName/rate-limit /api/queues/:queueName/workers`,
  POST: '/api/queues/:queueName/add',
  PUT: `
    /api/queues/:queueName/:jobId/clean /api/queues/:queueName/:jobId/promote /api/queues/:queueName/:jobId/retry
    /api/queues/:queueName/:jobId/remove-unprocessed-children /api/queues/:queueName/clean/:queueStatus
    /api/queues/:queueName/concurrency /api/queues/:queueName/empty /api/queues/:queueName/obliterate
    /api/queues/:queueName/job-schedulers/:schedulerId/remove /api/queues/:queueName/job-schedulers/:schedulerId/run
    /api/queues/:queueName/pause /api/queues/:queueName/promote /api/queues/:queueName/resume
    /api/queues/:queueName/rate-limit /api/queues/:queueName/rate-limit/release
    /api/queues/:queueName/retry/:queueStatus /api/queues/pause /api/queues/resume`,
  PATCH: `
    /api/queues/:queueName/:jobId/delay /api/queues/:queueName/:jobId/priority
    /api/queues/:queueName/:jobId/update-data /api/queues/:queueName/job-schedulers/:schedulerId`,
};

const BOARD_ROUTES = Object.entries(BOARD).flatMap(([method, paths]) =>
  paths
    .trim()
    .split(/\s+/)
    .map((path): UndocumentedRoute => ({ method, path: `/admin/queues${path}`, needs: ['operator'] })),
);

/** Of the gateway. A test compares the list with what the application has. */
export const GATEWAY_ROUTES: readonly UndocumentedRoute[] = [
  ...OPERATING_ROUTES,
  open('/'),
  open('/start.css'),
  open('/favicon.ico'),
  open('/console'),
  { ...open('/console/*view'), example: '/console/users/ada' },
  open('/console/session'),
  { method: 'POST', path: '/console/session', needs: PERMISSIONS },
  { method: 'DELETE', path: '/console/session', needs: 'anybody' },
  open('/docs'),
  open('/docs/start.js'),
  open('/docs/swagger-ui.css'),
  open('/docs/swagger-ui-bundle.js'),
  open('/openapi.json'),
  { method: 'POST', path: '/v1/chat/completions', needs: ['chat'], body: CHAT },
  { method: 'ALL', path: '/v1/*path', needs: ['upstream'], example: '/v1/embeddings', body: { input: 'x' } },
  {
    method: 'POST',
    path: '/mcp',
    needs: ['memory.read'],
    body: { jsonrpc: '2.0', id: 1, method: 'tools/call', params: CALL_OF_TOOL },
  },
  ...BOARD_ROUTES,
];

/** Not routes, but answers of the gateway: files, examples of the pass-through, and what is reserved. */
export const GATEWAY_ADDRESSES: readonly UndocumentedRoute[] = [
  { method: 'GET', path: '/v1/models', needs: ['upstream', 'chat'] },
  { method: 'GET', path: '/v1/models/m', needs: ['upstream', 'chat'] },
  { method: 'GET', path: '/admin/queues/static/favicon-32x32.png', needs: ['operator'] },
];
