import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export type PageServer = Readonly<{
  port: number;
  /** How many requests have come. */
  requests: () => number;
  close: () => Promise<void>;
}>;

/** A web site with one empty page at every address; scripts are run in it by the test. */
export async function startPageServer(): Promise<PageServer> {
  let requests = 0;
  const server = createServer((_request, response) => {
    requests += 1;
    response.writeHead(200, { 'content-type': 'text/html' });
    response.end('<!doctype html><title>A page</title><body></body>');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    requests: () => requests,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
