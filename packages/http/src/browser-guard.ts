import { AppError } from '@factmill/errors';
import cors from 'cors';
import type { Request, RequestHandler } from 'express';
import { isIP } from 'node:net';

/** Which names this server answers to, and which pages on other origins may call it. */
export type BrowserAccess = Readonly<{
  /**
   * Host names without ports, lower case, IPv6 in brackets; null answers to any. `ip` stands for every address that
   * is written as a number: DNS cannot point such a name somewhere else.
   */
  hosts: readonly string[] | null;
  /** Origins as browsers send them, such as `https://app.example.com`. */
  origins: readonly string[];
}>;

/** Headers of an answer that pages of allowed origins may read. */
const EXPOSED_HEADERS = [
  'X-Request-Id',
  'Retry-After',
  'RateLimit',
  'RateLimit-Policy',
  'X-Factmill-Memory',
  'X-Factmill-Degraded',
  'Idempotent-Replayed',
];

/**
 * Protects this server from web pages in a user's browser, which send requests with that user's network access.
 * Refuses foreign host names (DNS rebinding) and requests that a page of another origin caused (CSRF), by `Origin`
 * and by `Sec-Fetch-Site`, for every method. Programs other than browsers send neither header.
 *
 * @returns middleware for all routes; throws AppError `host_not_allowed` or `origin_not_allowed`
 */
export function browserGuard({ hosts, origins }: BrowserAccess): RequestHandler[] {
  const guard: RequestHandler = (request, response, next) => {
    if (hosts !== null) assertHost(request.headers.host, hosts);
    assertOrigin(request, origins);
    if (origins.length > 0) response.vary('Origin');
    next();
  };
  if (origins.length === 0) return [guard];
  return [guard, cors({ origin: [...origins], exposedHeaders: EXPOSED_HEADERS, maxAge: 600 })];
}

function assertHost(host: string | undefined, hosts: readonly string[]): void {
  const name = hostNameOf(host);
  if (name !== null && (hosts.includes(name) || (hosts.includes('ip') && isAddress(name)))) return;
  throw new AppError(
    'host_not_allowed',
    'Without API keys this server answers only to its own host names. Call it as 127.0.0.1 or localhost, or add the name to ALLOWED_HOSTS.',
  );
}

function assertOrigin(request: Request, origins: readonly string[]): void {
  const { origin, host } = request.headers;
  if (origin === undefined ? isOwnOrUnknownSite(request) : origins.includes(origin) || isSame(origin, host)) {
    return;
  }
  throw new AppError(
    'origin_not_allowed',
    'This request comes from a web page of another origin. Add that origin to ALLOWED_ORIGINS if it may call this server.',
  );
}

/** Whether a browser says that a page of ours sent the request. Other programs say nothing. */
export function isFromOwnPage(request: Request): boolean {
  const { origin, host } = request.headers;
  const site = request.header('sec-fetch-site');
  if (site !== undefined) return site === 'same-origin';
  return origin !== undefined && isSame(origin, host);
}

/** Browsers omit `Origin` from reads that a page cannot see. A followed link is allowed too. */
function isOwnOrUnknownSite(request: Request): boolean {
  const site = request.header('sec-fetch-site');
  if (site === undefined || site === 'none' || site === 'same-origin') return true;
  const isRead = request.method === 'GET' || request.method === 'HEAD';
  return (
    isRead &&
    request.header('sec-fetch-mode') === 'navigate' &&
    request.header('sec-fetch-dest') === 'document'
  );
}

/** The scheme is ignored: a proxy that ends TLS changes it. */
function isSame(origin: string, host: string | undefined): boolean {
  if (host === undefined || !URL.canParse(origin)) return false;
  const { protocol, host: from } = new URL(origin);
  const own = `${protocol}//${host}`;
  return from !== '' && URL.canParse(own) && new URL(own).host === from;
}

function hostNameOf(host: string | undefined): string | null {
  if (host === undefined || !/^(?:\[[\da-f:.]+\]|[\w.-]+)(?::\d{1,5})?$/i.test(host)) return null;
  return host.replace(/:\d+$/, '').replace(/\.$/, '').toLowerCase();
}

function isAddress(name: string): boolean {
  return isIP(name.replace(/^\[|\]$/g, '')) !== 0;
}
