import { createServer, type AddressInfo } from 'node:net';
import { createSessionQueue, type RunBatch } from './session-queue.ts';
import { createWireConnection, type WireConnection } from './wire-connection.ts';

export type WireServerDeps = Readonly<{
  run: RunBatch;
  greeting: Buffer;
  /** Required from clients, because other users of the machine can reach a loopback port too. */
  password: string;
}>;

export type WireServer = Readonly<{
  port: number;
  /** Ends every connection, waits until the session is cleared, and stops listening. */
  close(): Promise<void>;
}>;

/** Serves one database session to any number of clients on a free loopback port. */
export async function startWireServer(deps: WireServerDeps): Promise<WireServer> {
  const queue = createSessionQueue();
  const connections = new Set<WireConnection>();
  let nextId = 1;

  const server = createServer((socket) => {
    const connection = createWireConnection({
      ...deps,
      socket,
      queue,
      id: nextId++,
      onNotification: (message) => connections.forEach((other) => other.notify(message)),
    });
    connections.add(connection);
    void connection.closed.then(() => connections.delete(connection));
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });

  return {
    port: (server.address() as AddressInfo).port,
    async close() {
      const stopped = new Promise<void>((resolve) => server.close(() => resolve()));
      const all = [...connections];
      all.forEach((connection) => connection.shutdown());
      await Promise.all(all.map((connection) => connection.closed));
      await stopped;
    },
  };
}
