import { assertPermission, isPermitted, type Principal, principalOf } from '@factmill/auth';
import type { PassThroughConfig, PassThroughRule } from '@factmill/config';
import { AppError } from '@factmill/errors';
import type { RequestHandler } from 'express';
import type { IncomingHttpHeaders } from 'node:http';
import { toUpstreamHeaders } from './proxy-headers.ts';
import { relay } from './relay.ts';
import { readUpstreamPath } from './upstream-path.ts';
import type { Upstreams } from './upstreams.ts';

const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE']);

/** The list of models: it costs nothing, reveals nothing about users, and clients request it before they chat. */
const MODEL_LIST: readonly PassThroughRule[] = [
  { method: 'GET', segments: ['models'] },
  { method: 'GET', segments: ['models', '*'] },
];

export type PassThroughDeps = Readonly<{
  upstreams: Upstreams;
  configured: PassThroughConfig;
  isOurKey: (token: string) => boolean;
}>;

/** Forwards any other allowed path of the upstream: both bodies are streamed, nothing is read. */
export function passThrough({ upstreams, configured, isOurKey }: PassThroughDeps): RequestHandler {
  const { client, hasStoredKey } = upstreams.ofPassThrough;
  return async (request, response) => {
    const { target, segments } = readUpstreamPath(request.originalUrl);
    assertNoChat(request.method, segments);
    assertMayPass(principalOf(response), request.method, segments);
    if (!isPassed(configured, hasStoredKey, request.method, segments)) {
      throw new AppError(
        'pass_through_refused',
        'This server does not pass this method and path on to the model provider. CHAT_PASS_THROUGH of the gateway lists what it passes on.',
      );
    }
    const gone = new AbortController();
    response.once('close', () => gone.abort());
    try {
      const answer = await client.send({
        method: request.method,
        path: target,
        headers: toUpstreamHeaders(request.headers, isOurKey),
        body: hasBody(request.headers) ? request : null,
        signal: gone.signal,
      });
      await relay(answer, response, null);
    } catch (error) {
      // The caller has gone, so the error has no receiver and is no fault.
      if (!gone.signal.aborted) throw error;
    }
  };
}

/** A chat request on another spelling of its path would skip its permission check and keep our fields. */
function assertNoChat(method: string, segments: readonly string[]): void {
  if (method !== 'POST' || segments.join('/').toLowerCase() !== 'chat/completions') return;
  throw new AppError('not_found', 'There is nothing at this address; chats are at /v1/chat/completions.');
}

/** A caller who may chat may list the models; everything else needs `upstream`. */
function assertMayPass(principal: Principal, method: string, segments: readonly string[]): void {
  if (isListed(MODEL_LIST, method, segments) && isPermitted(principal, 'chat')) return;
  assertPermission(principal, 'upstream');
}

/** Whether a request may be forwarded. A stored key is only used for configured paths. */
export function isPassed(
  configured: PassThroughConfig,
  hasStoredKey: boolean,
  method: string,
  segments: readonly string[],
): boolean {
  if (configured === 'none' || !METHODS.has(method)) return false;
  if (configured === 'all') return true;
  if (configured === 'by_key') return !hasStoredKey || isListed(MODEL_LIST, method, segments);
  return isListed(configured, method, segments);
}

function isListed(rules: readonly PassThroughRule[], method: string, segments: readonly string[]): boolean {
  const asked = method === 'HEAD' ? 'GET' : method;
  return rules.some(
    (rule) => (rule.method === '*' || rule.method === asked) && matches(rule.segments, segments),
  );
}

function matches(pattern: readonly string[], segments: readonly string[]): boolean {
  const isOpen = pattern.at(-1) === '*';
  if (isOpen ? segments.length < pattern.length : segments.length !== pattern.length) return false;
  return pattern.every((part, index) => part === '*' || part === segments[index]);
}

function hasBody(headers: IncomingHttpHeaders): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}
