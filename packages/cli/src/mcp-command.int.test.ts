import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { inheritedEnvironment } from '@factmill/testkit';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';

const MAIN = fileURLToPath(new URL('./main.ts', import.meta.url));

let gateway: Server;
let received: {
  authorization: string | undefined;
  path: string | undefined;
  body: Record<string, unknown>;
}[];

beforeAll(async () => {
  received = [];
  gateway = createServer((request, response) => {
    let text = '';
    request.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
    request.once('end', () => {
      const body = JSON.parse(text) as Record<string, unknown>;
      received.push({ authorization: request.headers.authorization, path: request.url, body });
      const refused = body['action'] === 'forget';
      response.writeHead(refused ? 403 : 200, {
        'content-type': refused ? 'application/problem+json' : 'application/json',
      });
      response.end(
        JSON.stringify(
          refused
            ? {
                type: 'urn:factmill:problem:forbidden',
                title: 'Not permitted',
                status: 403,
                code: 'forbidden',
                detail: 'This API key lacks the permission memory.write.',
                errors: [],
                request_id: 'r',
              }
            : body['action'] === 'search'
              ? {
                  action: 'search',
                  user_id: 'unknown',
                  skipped: { reason: 'unknown_user', detail: 'Nobody.' },
                }
              : { action: body['action'], user_id: body['user_id'], memories: [] },
        ),
      );
    });
  });
  await new Promise<void>((resolve) => gateway.listen(0, '127.0.0.1', resolve));
});
afterAll(async () => {
  gateway.closeAllConnections();
  await new Promise((resolve) => gateway.close(resolve));
});

async function connect(url: string): Promise<Client> {
  const client = new Client({ name: 'test', version: '1' });
  await client.connect(
    new StdioClientTransport({
      command: process.execPath,
      args: [
        '--conditions=factmill-source',
        '--disable-warning=ExperimentalWarning',
        MAIN,
        'mcp',
        '--url',
        url,
        '--user',
        'mina',
      ],
      env: { ...inheritedEnvironment(), FACTMILL_API_KEY: 'fm_key' },
    }),
  );
  return client;
}

const textOf = (result: unknown) => (result as { content: { text: string }[] }).content[0]?.text ?? '';

test('the official client uses the tool over stdio, as the user and with the key it was started with', async () => {
  const client = await connect(`http://127.0.0.1:${(gateway.address() as AddressInfo).port}`);
  const { tools } = await client.listTools();
  expect(tools.map(({ name }) => name)).toEqual(['memory']);
  const listed = await client.callTool({ name: 'memory', arguments: { action: 'list', limit: 3 } });
  expect(JSON.parse(textOf(listed))).toEqual({ action: 'list', user_id: 'mina', memories: [] });
  expect(received.at(-1)).toEqual({
    authorization: 'Bearer fm_key',
    path: '/v1/tools/memory',
    body: { action: 'list', limit: 3, user_id: 'mina' },
  });
  const refused = await client.callTool({ name: 'memory', arguments: { action: 'forget', key: 'home' } });
  expect(refused).toMatchObject({ isError: true });
  expect(textOf(refused)).toBe('This API key lacks the permission memory.write.');
  const skipped = await client.callTool({ name: 'memory', arguments: { action: 'search', query: 'x' } });
  expect(skipped).toMatchObject({ isError: true });
  expect(textOf(skipped)).toContain('--user');
  await client.close();
});

test('a gateway that is away is said so, as an answer', async () => {
  const client = await connect('http://127.0.0.1:1');
  const answer = await client.callTool({ name: 'memory', arguments: { action: 'list' } });
  expect(answer).toMatchObject({ isError: true });
  expect(textOf(answer)).toContain('does not answer');
  await client.close();
});
