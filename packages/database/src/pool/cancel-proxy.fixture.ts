import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** Protocol number of a CancelRequest, at byte 4 of what a connection says first. */
const CANCEL_REQUEST = 80_877_102;

/**
 * Stands before a Postgres and passes everything on but requests to cancel: they are `closed` without effect, or left
 * `unanswered`.
 */
export async function startCancelProxy(connectionString: string, cancels: 'closed' | 'unanswered') {
  const target = new URL(connectionString);
  const sockets = new Set<Socket>();
  const keep = (socket: Socket): Socket => {
    sockets.add(socket);
    return socket.on('error', () => undefined);
  };
  let cancelled = 0;
  const server = createServer((socket) => {
    keep(socket).once('data', (first: Buffer) => {
      if (first.length >= 8 && first.readInt32BE(4) === CANCEL_REQUEST) {
        cancelled += 1;
        if (cancels === 'closed') socket.end();
        return;
      }
      const upstream = keep(connect(Number(target.port), target.hostname));
      upstream.write(first);
      socket.pipe(upstream).pipe(socket);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = new URL(connectionString);
  url.host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    connectionString: url.href,
    /** Requests to cancel so far. */
    cancelled: () => cancelled,
    async close() {
      const closed = once(server, 'close');
      server.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}
