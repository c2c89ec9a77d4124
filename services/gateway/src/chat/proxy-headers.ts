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

/** Our own credentials, and what tells who is asking us. */
const OURS = new Set(['x-api-key', 'cookie', 'x-request-id', 'traceparent', 'tracestate']);

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
    if (HOP_BY_HOP.has(name) || named.has(name) || OURS.has(name)) return false;
    if (name !== 'authorization') return true;
    const [scheme = '', token = ''] = String(value).split(' ', 2);
    return scheme.toLowerCase() === 'bearer' && !isOurKey(token);
  });
}

/** The headers of an answer that go to the caller. Its request id keeps our name free. */
export function toCallerHeaders(headers: IncomingHttpHeaders): Headers {
  const named = connectionOptions(headers);
  const passed = pick(
    headers,
    (name) => !HOP_BY_HOP.has(name) && !named.has(name) && name !== 'x-request-id',
  );
  const upstreamId = headers['x-request-id'];
  return typeof upstreamId === 'string' ? { ...passed, 'x-upstream-request-id': upstreamId } : passed;
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
