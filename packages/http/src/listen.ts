import { AppError } from '@factmill/errors';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';

export type HttpServer = Readonly<{
  url: string;
  port: number;
  /** Stops accepting, lets running requests finish for up to `graceMs`, then cuts them off. */
  close: (graceMs: number) => Promise<void>;
}>;

/**
 * Serves `app` on host:port (0 picks a free port).
 *
 * @throws AppError `port_in_use` when somebody else listens there, `config_invalid` when the address cannot be used.
 */
export async function listen(
  app: RequestListener,
  options: { host: string; port: number },
): Promise<HttpServer> {
  const server = createServer(app);
  // Longer than the idle timeout of common load balancers, so that they and not we close first.
  server.keepAliveTimeout = 65_000;
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

function listenError(error: NodeJS.ErrnoException, { host, port }: { host: string; port: number }): AppError {
  if (error.code === 'EADDRINUSE') {
    return new AppError(
      'port_in_use',
      `Port ${port} on ${host} is already in use: stop the other program or set GATEWAY_PORT, RETRIEVAL_PORT or EXTRACTOR_PORT.`,
      { cause: error },
    );
  }
  return new AppError(
    'config_invalid',
    `Cannot listen on port ${port} of ${host} (${error.code ?? error.name}).`,
    {
      cause: error,
    },
  );
}
