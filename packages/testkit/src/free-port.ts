import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/** Below the ports that Linux gives to connections and to servers on port 0 (32768 to 60999): those come and go. */
const FIRST = 18_000;
const END = 32_768;

/** A TCP port on 127.0.0.1 that was free a moment ago. Prefer port 0 where the server can report it. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(FIRST, END);
    if (await isFree(port)) return port;
  }
}

function isFree(port: number): Promise<boolean> {
  const server = createServer();
  return new Promise((resolve) => {
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}
