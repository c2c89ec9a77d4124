import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** The address of a Service: each connection goes to one of the pods that are ready, and stays there. */
export type Balancer = Readonly<{
  port: number;
  add: (podPort: number) => void;
  remove: (podPort: number) => void;
  close: () => Promise<void>;
}>;

/** Stands in for the network of a cluster, on this machine. */
export async function startBalancer(): Promise<Balancer> {
  const ready: number[] = [];
  const open = new Set<Socket>();
  let turn = 0;
  const server = createServer((client) => {
    turn += 1;
    const podPort = ready[turn % ready.length];
    if (podPort === undefined) {
      client.resetAndDestroy();
      return;
    }
    const pod = connect(podPort, '127.0.0.1');
    const ends = [client, pod];
    for (const [index, socket] of ends.entries()) {
      open.add(socket);
      // What breaks on one side breaks on the other.
      socket.on('error', () => ends[1 - index]?.destroy());
      socket.once('close', () => {
        open.delete(socket);
        ends[1 - index]?.destroy();
      });
      socket.pipe(ends[1 - index] ?? socket);
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    add: (podPort) => void ready.push(podPort),
    remove: (podPort) => void ready.splice(ready.indexOf(podPort), 1),
    async close() {
      for (const socket of open) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}
