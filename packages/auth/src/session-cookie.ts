import type { CookieOptions, Request, Response } from 'express';

const NAME = 'factmill_session';
/** Browsers take a cookie of such a name only by https, for one host and all of its paths. */
const SECURE = '__Host-';
const COOKIE = new RegExp(`(?:^|;)\\s*((?:${SECURE})?${NAME}(?:_\\d+)?)=([\\w-]{43})\\s*(?=;|$)`, 'g');

/**
 * What the cookie is called at an address (`host:port`). Browsers give all ports of a host the same cookies, so the port
 * is in the name: instances beside each other leave each other's sessions alone.
 */
function sessionCookieName(host: string | undefined): string {
  const port = /:(\d+)$/.exec(host ?? '')?.[1];
  return port === undefined ? NAME : `${NAME}_${port}`;
}

/** The token of the session that a browser sends; null without one. */
export function readSessionCookie(request: Request): string | null {
  const tokens = tokensOf(request);
  const name = sessionCookieName(request.headers.host);
  return tokens.get(SECURE + name) ?? tokens.get(name) ?? null;
}

/** The session of a request as the header `cookie` of a call to another service, whose port is not the browser's. */
export function forwardedSession(request: Request): string | null {
  const token = readSessionCookie(request);
  return token === null ? null : `${NAME}=${token}`;
}

/** The token of the session that another service passes on; null without one. */
export function readForwardedSession(request: Request): string | null {
  return tokensOf(request).get(NAME) ?? null;
}

function tokensOf(request: Request): Map<string, string> {
  return new Map(
    [...(request.headers.cookie ?? '').matchAll(COOKIE)].map(([, name = '', token = '']) => [name, token]),
  );
}

/** Gives the browser a session. Scripts cannot read it, and no other site's page can have it sent. */
export function setSessionCookie(request: Request, response: Response, token: string, maxAge: number): void {
  const secure = isSecure(request);
  const name = sessionCookieName(request.headers.host);
  response.cookie(secure ? SECURE + name : name, token, { ...OPTIONS, secure, maxAge });
}

/** Takes the session from the browser, whichever of the two names it has. */
export function clearSessionCookie(request: Request, response: Response): void {
  const name = sessionCookieName(request.headers.host);
  response.clearCookie(name, OPTIONS);
  response.clearCookie(SECURE + name, { ...OPTIONS, secure: true });
}

const OPTIONS: CookieOptions = { httpOnly: true, sameSite: 'strict', path: '/' };

/** A proxy that ends TLS and is not trusted leaves only the page's own origin to tell. */
function isSecure(request: Request): boolean {
  return request.secure || (request.headers.origin ?? '').startsWith('https://');
}
