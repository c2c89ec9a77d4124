import { expect, test } from '@jest/globals';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fetchAgain } from './fetch-again.ts';

/** Answers as often as `closes` are used up; those requests lose their connection. */
async function ask(closes: number): Promise<{ requests: number; outcome: unknown }> {
  let requests = 0;
  const server = createServer((request, response) => {
    requests += 1;
    if (requests <= closes) request.socket.destroy();
    else response.end('found');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const outcome = await fetchAgain(`http://127.0.0.1:${port}`, { method: 'POST', body: '{}' }).then(
    (answer) => answer.text(),
    (error: unknown) => String(error),
  );
  server.closeAllConnections();
  server.close();
  return { requests, outcome };
}

test.each([
  [0, { requests: 1, outcome: 'found' }],
  [1, { requests: 2, outcome: 'found' }],
  [2, { requests: 2, outcome: 'TypeError: fetch failed' }],
])('a request whose connection is closed %i times', async (closes, expected) => {
  expect(await ask(closes)).toEqual(expected);
});

test('a refused connection and an aborted request are not tried again', async () => {
  const aborted = fetchAgain('http://127.0.0.1:1', { signal: AbortSignal.abort() });
  await expect(aborted).rejects.toMatchObject({ name: 'AbortError' });
  await expect(fetchAgain('http://127.0.0.1:1', {})).rejects.toThrow('fetch failed');
});
