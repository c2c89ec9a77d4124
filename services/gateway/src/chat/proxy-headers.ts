import type { IncomingHttpHeaders } from 'node:http';

/** Headers of one connection (RFC 9110, 7.6.1), and those that are set anew. */
const HOP_BY_HOP = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'host',
  'expect',
]);

/** Our credentials, and headers that reveal the caller or its address. */
const OURS = setOf(`
  x-api-key x-user-id cookie x-request-id traceparent tracestate
  referer origin forwarded via x-real-ip true-client-ip cf-connecting-ip`);
const OURS_BEGIN = /^(?:x-forwarded-|sec-)/;

/** Headers that make a browser act on our origin, and headers that only we may set. */
const FOR_BROWSERS = setOf(`
  set-cookie set-cookie2 www-authenticate clear-site-data service-worker-allowed refresh
  strict-transport-security public-key-pins alt-svc link sourcemap x-sourcemap report-to reporting-endpoints nel
  content-security-policy content-security-policy-report-only permissions-policy referrer-policy
  x-frame-options x-content-type-options x-xss-protection x-permitted-cross-domain-policies x-dns-prefetch-control
  cross-origin-opener-policy cross-origin-embedder-policy cross-origin-resource-policy origin-agent-cluster
  timing-allow-origin`);
const FOR_BROWSERS_BEGIN = /^access-control-/;

/** In a browser, another server's answer is a page without scripts, forms and origin. */
const SANDBOX = "sandbox; default-src 'none'; frame-ancestors 'none'";

function setOf(names: string): ReadonlySet<string> {
  return new Set(names.trim().split(/\s+/));
}

type Headers = Record<string, string | string[]>;

/**
 * The headers for the upstream. They include the caller's bearer token unless it is a key of ours.
 *
 * @param isOurKey whether a bearer token is a key of Factmill
 */
export function toUpstreamHeaders(
  headers: IncomingHttpHeaders,
  isOurKey: (token: string) => boolean,
): Headers {
  const named = connectionOptions(headers);
  return pick(headers, (name, value) => {
    if (HOP_BY_HOP.has(name) || named.has(name)) return false;
    if (OURS.has(name) || OURS_BEGIN.test(name)) return false;
    if (name !== 'authorization') return true;
    const [scheme = '', token = ''] = String(value).split(' ', 2);
    return scheme.toLowerCase() === 'bearer' && !isOurKey(token);
  });
}

/**
 * The headers of an answer for the caller. The upstream's request id does not replace ours, and headers for browsers
 * are dropped.
 */
export function toCallerHeaders(headers: IncomingHttpHeaders): Headers {
  const named = connectionOptions(headers);
  const passed = pick(
    headers,
    (name) =>
      !HOP_BY_HOP.has(name) &&
      !named.has(name) &&
      !FOR_BROWSERS.has(name) &&
      !FOR_BROWSERS_BEGIN.test(name) &&
      name !== 'x-request-id',
  );
  const upstreamId = headers['x-request-id'];
  return {
    ...passed,
    'content-security-policy': SANDBOX,
    ...(typeof upstreamId === 'string' ? { 'x-upstream-request-id': upstreamId } : {}),
  };
}

function connectionOptions(headers: IncomingHttpHeaders): ReadonlySet<string> {
  return new Set((headers.connection ?? '').split(',').map((name) => name.trim().toLowerCase()));
}

function pick(
  headers: IncomingHttpHeaders,
  keeps: (name: string, value: string | string[]) => boolean,
): Headers {
  return Object.fromEntries(
    Object.entries(headers).filter(
      (header): header is [string, string | string[]] =>
        header[1] !== undefined && keeps(header[0], header[1]),
    ),
  );
}
