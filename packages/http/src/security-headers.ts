import type { RequestHandler } from 'express';
import helmet from 'helmet';

/** Directives of a page's policy beside its own: nothing may frame it, and its forms and base address stay ours. */
const PAGE_POLICY =
  "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; object-src 'none'; base-uri 'self'; form-action 'self'; frame-ancestors 'none'";

/**
 * Headers of every answer: as data, which no browser shows, runs, frames or keeps. What is remembered is nobody else's,
 * so no cache keeps it either. `Strict-Transport-Security` is the business of the proxy that ends TLS.
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
