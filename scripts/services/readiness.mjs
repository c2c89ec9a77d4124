import { connect, createServer } from 'node:net';

/**
 * A TCP port on 127.0.0.1 that was free a moment ago.
 * @returns {Promise<number>}
 */
export function findFreePort() {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.on('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(address !== null && typeof address === 'object' ? address.port : 0));
    });
  });
}

/**
 * Sends bytes to a port and asks `isReady` about everything received so far; false on any trouble or after 2 s.
 * @param {number} port
 * @param {Buffer} request
 * @param {(received: Buffer) => boolean} isReady
 * @returns {Promise<boolean>}
 */
function probe(port, request, isReady) {
  return new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1' });
    let received = Buffer.alloc(0);
    /** @param {boolean} ready */
    const finish = (ready) => {
      socket.destroy();
      resolve(ready);
    };
    socket.setTimeout(2_000, () => finish(false));
    socket.on('error', () => finish(false));
    socket.on('close', () => finish(false));
    socket.on('connect', () => socket.write(request));
    socket.on('data', (chunk) => {
      received = Buffer.concat([received, chunk]);
      if (isReady(received)) finish(true);
    });
  });
}

/** @param {number} port */
export function isRedisReady(port) {
  return probe(port, Buffer.from('PING\r\n'), (received) => received.toString('latin1').startsWith('+PONG'));
}

/**
 * The first message of a Postgres session: protocol 3.0, user and database `postgres`.
 * @returns {Buffer}
 */
function startupMessage() {
  const body = Buffer.from('user\0postgres\0database\0postgres\0\0');
  const head = Buffer.alloc(8);
  head.writeInt32BE(body.length + 8, 0);
  head.writeInt32BE(3 << 16, 4);
  return Buffer.concat([head, body]);
}

/**
 * Whether the server's messages include ReadyForQuery (`Z`), which only a server that has finished starting
 * and accepts the user sends.
 * @param {Buffer} received
 */
export function hasReadyForQuery(received) {
  let offset = 0;
  while (offset + 5 <= received.length) {
    if (received[offset] === 'Z'.charCodeAt(0)) return true;
    offset += 1 + received.readInt32BE(offset + 1);
  }
  return false;
}

/** @param {number} port */
export function isPostgresReady(port) {
  return probe(port, startupMessage(), hasReadyForQuery);
}

/**
 * Polls until `check` is true. Resolves false when `isOver` says that it never will, or at the time limit.
 * @param {() => Promise<boolean>} check
 * @param {{ limitMs: number, isOver?: () => boolean, everyMs?: number }} limits
 * @returns {Promise<boolean>}
 */
export async function waitUntil(check, { limitMs, isOver = () => false, everyMs = 50 }) {
  const deadline = performance.now() + limitMs;
  while (performance.now() < deadline && !isOver()) {
    if (await check()) return true;
    await new Promise((resolve) => setTimeout(resolve, everyMs));
  }
  return false;
}
