import { AppError } from '@factmill/errors';
import { asStrictPage } from '@factmill/http';
import { type RequestHandler, Router } from 'express';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { staticAssets } from './static-assets.ts';

/** Where the console's build is: in the repository and in the image at the same place, seen from here. */
const BUILT = fileURLToPath(new URL('../../../../packages/console/dist/', import.meta.url));

const NOT_BUILT =
  'The console is not built. Start with `npm start`, which builds it, or run `npm run build`, then load this page again.\n';

/**
 * The console's page and its files, from the folder of its build. The names of assets have the hash of what is in them,
 * so browsers keep them for good. Every other address is a view of the page.
 */
export function consoleFiles(folder = BUILT): Router {
  const router = Router();
  router.use(
    '/assets',
    (_request, response, next) => {
      response.removeHeader('Cache-Control');
      next();
    },
    ...staticAssets(join(folder, 'assets')),
    noSuchFile,
  );
  router.get(['/', '/*view'], asStrictPage, async (_request, response) => {
    const page = await readFile(join(folder, 'index.html')).catch(() => null);
    if (page === null) response.status(503).type('text/plain').send(NOT_BUILT);
    else response.type('html').send(page);
  });
  return router;
}

const noSuchFile: RequestHandler = (_request, response) => {
  response.setHeader('Cache-Control', 'no-store');
  throw new AppError('not_found', 'The console has no such file; load its page again.');
};
