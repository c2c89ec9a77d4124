import { asPage } from '@factmill/http';
import { Router } from 'express';
import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { openApiDocument } from './openapi.ts';

const SWAGGER_UI = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'));

/** The files that the page needs; the rest of the package is not served. */
const SWAGGER_FILES = ['swagger-ui.css', 'swagger-ui-bundle.js'];

const PAGE = `<!doctype html>
<html lang="en">
<head>
  <meta charset="utf-8">
  <title>Factmill API</title>
  <meta name="viewport" content="width=device-width, initial-scale=1">
  <link rel="icon" href="data:,">
  <link rel="stylesheet" href="/docs/swagger-ui.css">
</head>
<body>
  <div id="reference"></div>
  <script src="/docs/swagger-ui-bundle.js"></script>
  <script src="/docs/start.js"></script>
</body>
</html>
`;

const START = `SwaggerUIBundle({
  url: '/openapi.json',
  dom_id: '#reference',
  deepLinking: true,
  validatorUrl: null,
  persistAuthorization: false,
  defaultModelsExpandDepth: 0,
});
`;

/** `/openapi.json` and the page at `/docs`; everything comes from this server, nothing from the internet. */
export function referenceRoutes(version: string, needsKey: boolean): Router {
  const router = Router();
  const document = JSON.stringify(openApiDocument(version, needsKey));
  router.get('/openapi.json', (_request, response) => {
    response.type('application/json').send(document);
  });
  router.get('/docs', asPage, (_request, response) => {
    response.type('html').send(PAGE);
  });
  router.get('/docs/start.js', (_request, response) => {
    response.type('text/javascript').send(START);
  });
  for (const file of SWAGGER_FILES) {
    router.get(`/docs/${file}`, (_request, response) => {
      response.removeHeader('Cache-Control');
      response.sendFile(file, { root: SWAGGER_UI, immutable: true, maxAge: '1d' });
    });
  }
  return router;
}
