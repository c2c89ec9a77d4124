import type { IncomingHttpHeaders } from 'node:http';

/** Headers that belong to one connection (RFC 9110, 7.6.1), and those that are set anew. */
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

/** Our own credentials, and what tells who is asking us and from where. */
const OURS = setOf(`
  x-api-key x-user-id cookie x-request-id traceparent tracestate
  referer origin forwarded via x-real-ip true-client-ip cf-connecting-ip`);
const OURS_BEGIN = /^(?:x-forwarded-|sec-)/;

/** What would make a browser do something on our origin, and headers whose value is ours to set. */
const FOR_BROWSERS = setOf(`
  set-cookie set-cookie2 www-authenticate clear-site-data service-worker-allowed refresh
  strict-transport-security public-key-pins alt-svc link sourcemap x-sourcemap report-to reporting-endpoints nel
  content-security-policy content-security-policy-report-only permissions-policy referrer-policy
  x-frame-options x-content-type-options x-xss-protection x-permitted-cross-domain-policies x-dns-prefetch-control
  cross-origin-opener-policy cross-origin-embedder-policy cross-origin-resource-policy origin-agent-cluster
  timing-allow-origin`);
const FOR_BROWSERS_BEGIN = /^access-control-/;

/** An answer of another server is a page without scripts, forms and origin wherever a browser shows it. */
const SANDBOX = "sandbox; default-src 'none'; frame-ancestors 'none'";

function setOf(names: string): ReadonlySet<string> {
  return new Set(names.trim().split(/\s+/));
}

type Headers = Record<string, string | string[]>;

/**
 * The headers that go upstream. The caller's bearer token is among them unless it is a key of ours.
 *
 * @param isOurKey whether a bearer token is one that Factmill itself accepts
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

/** The headers of an answer that go to the caller. Its request id keeps our name free, and browsers are told nothing. */
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
