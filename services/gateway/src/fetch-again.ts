/** What a connection that the other side has closed fails with. */
const CLOSED = new Set(['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET']);

/**
 * `fetch` for requests that only read. A process that stops closes the connections that are kept open to it, and one of
 * them may just have been chosen here. Then the request is sent once more, on another connection.
 */
export async function fetchAgain(url: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(url, init);
  } catch (error) {
    if (!isClosed(error)) throw error;
    return fetch(url, init);
  }
}

function isClosed(error: unknown): boolean {
  const { cause } = error as { cause?: { code?: unknown } };
  return typeof cause?.code === 'string' && CLOSED.has(cause.code);
}
