import { createBullBoard } from '@bull-board/api';
import { BullMQAdapter } from '@bull-board/api/bullMQAdapter';
import { ExpressAdapter } from '@bull-board/express';
import { assertPermission, principalOf } from '@factmill/auth';
import { asPage } from '@factmill/http';
import { type RequestHandler, Router } from 'express';
import type { RouteDeps } from '../route-deps.ts';

export const BULL_BOARD_PATH = '/admin/queues';

/**
 * Makes a browser ask for the key: Bull Board is a page, so the API key comes as the password of Basic
 * authentication. Placed before authentication; only a refusal keeps the header.
 */
export const browserChallenge: RequestHandler = (_request, response, next) => {
  response.setHeader('WWW-Authenticate', 'Basic realm="Factmill queues", charset="UTF-8"');
  next();
};

/**
 * Bull Board shows the queues of all tenants, so it needs an operator. Changing them also needs
 * BULL_BOARD_WRITABLE=true.
 */
export function adminQueueRoutes(deps: RouteDeps): Router {
  const readOnlyMode = !deps.config.gateway.bullBoardWritable;
  // On Postgres workers are not registered anywhere, so the page hides them.
  const knowsWorkers = deps.config.storage.redis !== null;
  const serverAdapter = new ExpressAdapter();
  serverAdapter.setBasePath(BULL_BOARD_PATH);
  createBullBoard({
    queues: deps.queues.bullQueues().map((queue) => {
      const adapter = new BullMQAdapter(queue, { readOnlyMode });
      return knowsWorkers ? adapter : Object.assign(adapter, { getWorkers: () => Promise.resolve(null) });
    }),
    serverAdapter,
    options: { uiConfig: { boardTitle: 'Factmill queues' } },
  });
  const router = Router();
  // Bull Board's page requests fonts from the internet; the policy blocks them.
  router.use(asPage, (_request, response, next) => {
    response.removeHeader('WWW-Authenticate');
    assertPermission(principalOf(response), 'operator');
    next();
  });
  router.use(serverAdapter.getRouter() as Router);
  return router;
}
