import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

export type UnreadLimits = Readonly<{
  /** An answer of which nothing is read for so long is given up. */
  timeoutMs: number;
  /** What all answers that are written and not yet read hold in memory together. */
  maxBytes: number;
}>;

/**
 * Bounds what clients cost that ask and do not read: a written answer stays in memory until the kernel has taken it,
 * and the kernel takes no more than the client reads. Beyond the limits the connection is closed, the one whose answer
 * has waited longest first. Call the result with each response before it is written.
 */
export function limitUnread({ timeoutMs, maxBytes }: UnreadLimits): (response: ServerResponse) => void {
  const unread = new Map<ServerResponse, Socket>();
  const heldBytes = () => [...unread.values()].reduce((sum, socket) => sum + socket.writableLength, 0);

  function watch(response: ServerResponse): void {
    const { socket } = response;
    if (socket === null || socket.writableLength === 0) return;
    unread.set(response, socket);
    response.once('close', () => unread.delete(response));
    // Every byte that is read starts it again. When all are read, Node sets the time for idle connections.
    socket.setTimeout(timeoutMs);
    for (const [oldest, idle] of unread) {
      if (oldest === response || heldBytes() <= maxBytes) break;
      unread.delete(oldest);
      idle.destroy();
    }
  }

  return (response) => {
    response.once('prefinish', () => watch(response));
  };
}
