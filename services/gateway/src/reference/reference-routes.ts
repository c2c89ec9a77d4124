import express, { Router } from 'express';
import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { openApiDocument } from './openapi.ts';

const SWAGGER_UI = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'));

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
export function referenceRoutes(version: string): Router {
  const router = Router();
  const document = JSON.stringify(openApiDocument(version));
  router.get('/openapi.json', (_request, response) => {
    response.type('application/json').send(document);
  });
  router.get('/docs', (_request, response) => {
    response
      .setHeader(
        'Content-Security-Policy',
        "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:",
      )
      .type('html')
      .send(PAGE);
  });
  router.get('/docs/start.js', (_request, response) => {
    response.type('text/javascript').send(START);
  });
  router.use('/docs', express.static(SWAGGER_UI, { index: false, immutable: true, maxAge: '1d' }));
  return router;
}
