import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TinyFiles } from '@factmill/testkit';

export const COMMIT = '0123456789abcdef0123456789abcdef01234567';

export type Hub = Readonly<{
  url: string;
  /** Every request for bytes, in order: name, and from which byte. */
  requests: { name: string; from: number }[];
  /** Files that stop once, after so many bytes, until `breakHeld` cuts the connection. */
  holdOnce: Map<string, number>;
  breakHeld: () => void;
  /** Files that arrive with one byte changed, so many times. */
  damage: Map<string, number>;
  /** Names a commit in every answer; default `COMMIT`. */
  commit: { value: string | null };
  close: () => Promise<void>;
}>;

/**
 * A hub with one repository, `acme/encoder`. Large files (`.onnx`) are redirected to another server, which knows only
 * bytes, as the real one does it.
 */
export async function startHub(files: TinyFiles): Promise<Hub> {
  const requests: Hub['requests'] = [];
  const holdOnce: Hub['holdOnce'] = new Map();
  let held: ServerResponse | undefined;
  const damage: Hub['damage'] = new Map();
  const commit: Hub['commit'] = { value: COMMIT };
  const storage = await listen((request, response) => {
    const name = decodeURIComponent((request.url ?? '').slice(1));
    sendBytes(name, request, response);
  });
  const hub = await listen((request, response) => {
    const name = /^\/acme\/encoder\/resolve\/[^/]+\/(.+)$/.exec(request.url ?? '')?.[1] ?? '';
    const content = contentOf(name);
    if (!(request.url ?? '').startsWith('/acme/encoder/')) return end(response, 401);
    if (content === undefined) return end(response, 404);
    if (commit.value !== null) response.setHeader('x-repo-commit', commit.value);
    if (!name.endsWith('.onnx')) {
      response.setHeader('etag', `"${digest('sha1', `blob ${content.length}\0`, content)}"`);
      return sendBytes(name, request, response);
    }
    response.setHeader('x-linked-etag', `"${digest('sha256', content)}"`);
    response.setHeader('location', `${storage.url}/${encodeURIComponent(name)}`);
    end(response, 302);
  });

  function contentOf(name: string): Buffer | undefined {
    const content = files[name];
    return typeof content === 'string' ? Buffer.from(content) : content;
  }

  function sendBytes(name: string, request: IncomingMessage, response: ServerResponse): void {
    const from = Number(/^bytes=(\d+)-$/.exec(request.headers.range ?? '')?.[1] ?? 0);
    requests.push({ name, from });
    const whole = Buffer.from(contentOf(name) ?? []);
    const damages = damage.get(name) ?? 0;
    if (damages > 0) {
      damage.set(name, damages - 1);
      whole[whole.length - 1] = (whole.at(-1) ?? 0) ^ 1;
    }
    if (from >= whole.length) return end(response, 416);
    const body = whole.subarray(from);
    response.writeHead(from > 0 ? 206 : 200, { 'content-length': body.length });
    const holdAfter = holdOnce.get(name);
    if (holdAfter === undefined) return void response.end(body);
    holdOnce.delete(name);
    held = response;
    response.write(body.subarray(0, holdAfter));
  }

  return {
    url: hub.url,
    requests,
    holdOnce,
    breakHeld: () => held?.destroy(),
    damage,
    commit,
    close: async () => {
      await hub.close();
      await storage.close();
    },
  };
}

function end(response: ServerResponse, status: number): void {
  response.writeHead(status).end();
}

function digest(algorithm: string, ...parts: (string | Buffer)[]): string {
  const hash = createHash(algorithm);
  for (const part of parts) hash.update(part);
  return hash.digest('hex');
}

async function listen(handle: (request: IncomingMessage, response: ServerResponse) => void) {
  const server: Server = createServer(handle);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    close: async () => {
      server.closeAllConnections();
      // A test may have closed it already, to show what works without it.
      if (server.listening) await new Promise((resolve) => server.close(resolve));
    },
  };
}
