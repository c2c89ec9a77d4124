import { AppError } from '@factmill/errors';
import { createServer, type RequestListener } from 'node:http';
import { createServer as createTcpServer } from 'node:net';
import type { AddressInfo } from 'node:net';

export type HttpServer = Readonly<{
  url: string;
  port: number;
  /** Stops accepting, lets running requests finish for up to `graceMs`, then cuts them off. */
  close: (graceMs: number) => Promise<void>;
}>;

/** Where a service listens. `setting` is the variable that says the port, for messages. */
export type Address = Readonly<{ host: string; port: number; setting: string }>;

/**
 * Checks that all ports can be listened on, before anything else is started; port 0 is any free one.
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
export async function listen(app: RequestListener, options: Address): Promise<HttpServer> {
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
