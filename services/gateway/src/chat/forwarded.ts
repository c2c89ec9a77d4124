import type { Request } from 'express';
import type { IncomingMessage } from 'node:http';
import { toUpstreamHeaders } from './proxy-headers.ts';

/** Whether a bearer token is a key of ours, which no upstream may see. */
type IsOurKey = (token: string) => boolean;

/**
 * The query string as received. The path is written anew: the router has matched it in any case, or as an absolute
 * address.
 */
export function queryOf(request: Request): string {
  const from = request.originalUrl.indexOf('?');
  return from < 0 ? '' : request.originalUrl.slice(from);
}

export function headersOf(
  request: Request,
  isOurKey: IsOurKey,
  acceptEncoding: string | null,
): Record<string, string | string[]> {
  // The body was read, and decompressed, here.
  const {
    'content-length': _length,
    'content-encoding': _encoding,
    ...headers
  } = toUpstreamHeaders(request.headers, isOurKey);
  return acceptEncoding === null ? headers : { ...headers, 'accept-encoding': acceptEncoding };
}

/** Only keys of ours are forwarded: an upstream's key means nothing to the retrieval service. */
export function credentialsOf(request: Request, isOurKey: IsOurKey): Record<string, string> {
  const apiKey = request.header('x-api-key');
  if (apiKey !== undefined) return { 'x-api-key': apiKey };
  const authorization = request.header('authorization') ?? '';
  return isOurKey(authorization.split(' ', 2)[1] ?? '') ? { authorization } : {};
}

export function isEventStream(answer: IncomingMessage): boolean {
  return (answer.headers['content-type'] ?? '').startsWith('text/event-stream');
}

export function isPacked(answer: IncomingMessage): boolean {
  return !['', 'identity'].includes(answer.headers['content-encoding'] ?? '');
}

export function isJson(answer: IncomingMessage): boolean {
  const { 'content-type': type = '' } = answer.headers;
  return answer.statusCode === 200 && /^application\/(?:[\w.-]+\+)?json\b/.test(type) && !isPacked(answer);
}
