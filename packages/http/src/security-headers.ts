import type { RequestHandler } from 'express';
import helmet from 'helmet';

/** Directives of a page's policy beside its own: nothing may frame it, and its forms and base address stay ours. */
const PAGE_POLICY =
  "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; object-src 'none'; base-uri 'self'; form-action 'self'; frame-ancestors 'none'";

/**
 * Headers of every answer: data that no browser may show, run, frame or cache. Memories are private, so no shared
 * cache may keep them either. The proxy that ends TLS sets `Strict-Transport-Security`.
 */
export function securityHeaders(): RequestHandler[] {
  const headers = helmet({
    contentSecurityPolicy: {
      useDefaults: false,
      directives: {
        defaultSrc: ["'none'"],
        baseUri: ["'none'"],
        formAction: ["'none'"],
        frameAncestors: ["'none'"],
      },
    },
    strictTransportSecurity: false,
    xFrameOptions: { action: 'deny' },
  });
  const keptNowhere: RequestHandler = (_request, response, next) => {
    response.setHeader('Cache-Control', 'no-store');
    next();
  };
  return [headers, keptNowhere];
}

/** For a page of ours: its scripts and styles come from this server alone. */
export const asPage: RequestHandler = (_request, response, next) => {
  response.setHeader('Content-Security-Policy', PAGE_POLICY);
  next();
};

/** As the console's page: nothing but files of this server, none of it in the page itself. */
const STRICT_PAGE_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; font-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'";

/** For a page of ours whose scripts and styles are all in files. */
export const asStrictPage: RequestHandler = (_request, response, next) => {
  response.setHeader('Content-Security-Policy', STRICT_PAGE_POLICY);
  next();
};
