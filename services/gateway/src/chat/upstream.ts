import { AppError } from '@factmill/errors';
import { Agent as HttpAgent, type IncomingMessage, request as httpRequest } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import type { Readable } from 'node:stream';

export type UpstreamConfig = Readonly<{
  /** Up to and including the version, as in `https://api.example.com/v1`. */
  baseUrl: string;
  /** Replaces the caller's credentials; empty: the caller's own bearer token is forwarded. */
  apiKey: string;
  /** An exchange without a byte for this long is aborted. */
  timeoutMs: number;
}>;

type UpstreamRequest = Readonly<{
  method: string;
  /** Below the base URL, with the query: `/chat/completions`. */
  path: string;
  headers: Readonly<Record<string, string | string[]>>;
  /** Pieces that are sent one after another. */
  body: UpstreamBody | Readable | null;
  signal: AbortSignal;
}>;

type UpstreamBody = Readonly<{
  pieces: readonly Buffer[];
  /** Called at least once when the pieces are no longer needed. */
  onSent: () => void;
}>;

export type Upstream = Readonly<{
  /** Resolves when the answer's head has arrived, with any status. */
  send: (request: UpstreamRequest) => Promise<IncomingMessage>;
  close: () => void;
}>;

/**
 * Larger bodies get a new connection. On a connection that was idle they would have to be kept until the answer,
 * because the upstream may have closed it and they would have to be sent again.
 */
const MAX_REPEATABLE_BYTES = 64 * 1024;

/**
 * One upstream of the proxy. Uses node:http, because bodies must pass byte by byte, in both directions and with
 * back-pressure. Redirects are returned to the caller: a stored key never goes to another host.
 */
export function createUpstream(config: UpstreamConfig): Upstream {
  const base = new URL(config.baseUrl);
  const isSecure = base.protocol === 'https:';
  const agent = isSecure ? new HttpsAgent({ keepAlive: true }) : new HttpAgent({ keepAlive: true });
  const open = isSecure ? httpsRequest : httpRequest;
  const root = base.pathname.replace(/(?<!\/)\/+$/, '');

  /** `stale`: the upstream closed an idle connection while it was reused, and has seen nothing of this request. */
  function attempt(request: UpstreamRequest): Promise<IncomingMessage | 'stale'> {
    const { body } = request;
    const length = isStream(body) || body === null ? 0 : lengthOf(body.pieces);
    const isRepeatable = !isStream(body) && length <= MAX_REPEATABLE_BYTES;
    return new Promise((resolve, reject) => {
      const outgoing = open({
        protocol: base.protocol,
        hostname: base.hostname.replace(/^\[|\]$/g, ''),
        port: base.port === '' ? (isSecure ? 443 : 80) : Number(base.port),
        path: root + request.path,
        method: request.method,
        headers: {
          ...(config.apiKey === '' ? request.headers : withStoredKey(request.headers, config.apiKey)),
          ...(isStream(body) || body === null ? {} : { 'content-length': String(length) }),
        },
        agent: isRepeatable || isStream(body) ? agent : false,
        signal: request.signal,
        timeout: config.timeoutMs,
      });
      outgoing.once('response', resolve);
      outgoing.once('timeout', () => outgoing.destroy(new Error('no byte in time')));
      outgoing.once('error', (error: NodeJS.ErrnoException) => {
        if (outgoing.reusedSocket && error.code === 'ECONNRESET' && isRepeatable) resolve('stale');
        else reject(error);
      });
      if (isStream(body)) {
        body.pipe(outgoing);
        return;
      }
      if (!isRepeatable && body !== null) outgoing.once('finish', body.onSent);
      for (const piece of body?.pieces ?? []) outgoing.write(piece);
      outgoing.end();
    });
  }

  return {
    async send(request) {
      try {
        for (;;) {
          const answer = await attempt(request);
          if (answer !== 'stale') return answer;
        }
      } catch (error) {
        request.signal.throwIfAborted();
        throw new AppError(
          'upstream_unavailable',
          'The chat upstream does not answer. Check that it runs and that CHAT_BASE_URL is right.',
          { cause: error },
        );
      } finally {
        if (request.body !== null && !isStream(request.body)) request.body.onSent();
      }
    },
    close: () => agent.destroy(),
  };
}

/** Caller headers that identify the payer. A stored key identifies itself. */
const WHO_ASKS = new Set(['authorization', 'api-key', 'openai-organization', 'openai-project']);

function withStoredKey(headers: UpstreamRequest['headers'], apiKey: string): UpstreamRequest['headers'] {
  const others = Object.entries(headers).filter(([name]) => !WHO_ASKS.has(name.toLowerCase()));
  return { ...Object.fromEntries(others), authorization: `Bearer ${apiKey}` };
}

function isStream(body: UpstreamRequest['body']): body is Readable {
  return body !== null && !('pieces' in body);
}

function lengthOf(pieces: readonly Buffer[]): number {
  return pieces.reduce((sum, piece) => sum + piece.length, 0);
}
