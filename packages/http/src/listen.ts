import type { Problem } from '@factmill/contracts';
import { AppError } from '@factmill/errors';
import { randomUUID } from 'node:crypto';
import { createServer, type RequestListener, type ServerResponse, STATUS_CODES } from 'node:http';
import { createServer as createTcpServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { limitUnread } from './unread-answers.ts';

export type HttpServer = Readonly<{
  url: string;
  port: number;
  /**
   * Stops accepting, and lets running requests finish for up to `graceMs`, then cuts them off. Each connection ends with
   * its next answer, which says so: who keeps connections open, such as a gateway, opens the next one elsewhere.
   */
  close: (graceMs: number) => Promise<void>;
}>;

/** Request line and all headers. */
const MAX_HEADER_BYTES = 16 * 1024;
/** From the first byte of a request, or of a connection, to the end of its headers. */
const HEADERS_TIMEOUT_MS = 15_000;
/** Whole requests, uploads that are passed on included. Bodies that are read here have less time. */
const REQUEST_TIMEOUT_MS = 600_000;
/** How often Node checks the two timeouts. */
const CHECK_INTERVAL_MS = 2_000;
/** How long an answer may stay unread before it is dropped, and the memory limit of all unread answers. */
const UNREAD_TIMEOUT_MS = 60_000;
const MAX_UNREAD_BYTES = 32 * 1024 * 1024;
/** How much of a body is buffered before a handler reads it. Sent byte by byte, each byte costs 2 µs. */
const MAX_BUFFERED_BYTES = 16 * 1024;
/** An idle connection takes 20 to 40 KB. */
const MAX_CONNECTIONS = 2_000;

/** Where a service listens. `setting` is the variable that says the port, for messages. */
export type Address = Readonly<{ host: string; port: number; setting: string }>;

export type ListenOptions = Address &
  Readonly<{
    maxConnections?: number;
    headersTimeoutMs?: number;
    requestTimeoutMs?: number;
    checkIntervalMs?: number;
    unreadTimeoutMs?: number;
    maxUnreadBytes?: number;
  }>;

/**
 * Checks that all ports are free before anything else starts; port 0 is any free one.
 *
 * @throws AppError as `listen` does, and `config_invalid` for two services with one port
 */
export async function assertPortsFree(addresses: readonly Address[]): Promise<void> {
  const settings = new Map<number, string>();
  for (const address of addresses.filter(({ port }) => port !== 0)) {
    const other = settings.get(address.port);
    if (other !== undefined) {
      throw new AppError(
        'config_invalid',
        `${other} and ${address.setting} are both ${address.port}: give each a port of its own.`,
      );
    }
    settings.set(address.port, address.setting);
    await new Promise<void>((resolve, reject) => {
      const probe = createTcpServer();
      probe.once('error', (error: NodeJS.ErrnoException) => {
        reject(listenError(error, address));
      });
      probe.listen(address.port, address.host, () => probe.close(() => resolve()));
    });
  }
}

/**
 * Serves `app` on host:port (0 picks a free port).
 *
 * @throws AppError `port_in_use` when another program listens there, `config_invalid` when the address cannot be used.
 */
export async function listen(app: RequestListener, options: ListenOptions): Promise<HttpServer> {
  const server = createServer(
    {
      maxHeaderSize: MAX_HEADER_BYTES,
      headersTimeout: options.headersTimeoutMs ?? HEADERS_TIMEOUT_MS,
      requestTimeout: options.requestTimeoutMs ?? REQUEST_TIMEOUT_MS,
      connectionsCheckingInterval: options.checkIntervalMs ?? CHECK_INTERVAL_MS,
      highWaterMark: MAX_BUFFERED_BYTES,
      // Longer than the idle timeout of common load balancers, so that they close the connection first.
      keepAliveTimeout: 65_000,
    },
    app,
  );
  const watchUnread = limitUnread({
    timeoutMs: options.unreadTimeoutMs ?? UNREAD_TIMEOUT_MS,
    maxBytes: options.maxUnreadBytes ?? MAX_UNREAD_BYTES,
  });
  const open = new Set<ServerResponse>();
  let isClosing = false;
  server.prependListener('request', (_request, response) => {
    watchUnread(response);
    if (isClosing) response.setHeader('Connection', 'close');
    open.add(response);
    response.once('close', () => open.delete(response));
  });
  server.maxConnections = options.maxConnections ?? MAX_CONNECTIONS;
  // Headers are limited in bytes already; dropping some of them silently would change the request.
  server.maxHeadersCount = 0;
  server.on('clientError', answerClientError);
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      reject(listenError(error, options));
    });
    server.listen(options.port, options.host, resolve);
  });
  const { port } = server.address() as AddressInfo;
  const shown = options.host === '0.0.0.0' || options.host === '::' ? '127.0.0.1' : options.host;
  const url = `http://${shown.includes(':') ? `[${shown}]` : shown}:${port}`;
  return {
    url,
    port,
    async close(graceMs) {
      isClosing = true;
      for (const response of open) if (!response.headersSent) response.setHeader('Connection', 'close');
      const closed = new Promise<void>((resolve) => {
        server.close(() => {
          resolve();
        });
      });
      server.closeIdleConnections();
      const cutOff = setTimeout(() => {
        server.closeAllConnections();
      }, graceMs);
      await closed;
      clearTimeout(cutOff);
    },
  };
}

/** Refusals before there is a request: status, code and sentence by the error of Node's parser. */
const CLIENT_ERRORS: Readonly<Record<string, readonly [status: number, code: string, detail: string]>> = {
  HPE_HEADER_OVERFLOW: [431, 'payload_too_large', 'The headers are larger than this server accepts.'],
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'request_timeout', 'The request did not arrive in time; send it again.'],
};

function answerClientError(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const [status, code, detail] = CLIENT_ERRORS[error.code ?? ''] ?? [
    400,
    'invalid_request',
    'This is not a valid HTTP request.',
  ];
  const problem: Problem = {
    type: `urn:factmill:problem:${code}`,
    title: STATUS_CODES[status] ?? 'Bad Request',
    status,
    code,
    detail,
    errors: [],
    request_id: randomUUID(),
  };
  const body = JSON.stringify(problem);
  socket.end(
    `HTTP/1.1 ${status} ${problem.title}\r\nConnection: close\r\nContent-Type: application/problem+json; charset=utf-8\r\nX-Request-Id: ${problem.request_id}\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  );
}

function listenError(error: NodeJS.ErrnoException, { host, port, setting }: Address): AppError {
  if (error.code === 'EADDRINUSE') {
    return new AppError(
      'port_in_use',
      `Port ${port} on ${host} is already in use: stop the other program, or set ${setting} to a free port.`,
      { cause: error },
    );
  }
  const sentence =
    error.code === 'EACCES'
      ? `This user may not listen on port ${port}: set ${setting} to one above 1023.`
      : `Cannot listen on port ${port} of ${host} (${error.code ?? error.name}): check HOST and ${setting}.`;
  return new AppError('config_invalid', sentence, { cause: error });
}
