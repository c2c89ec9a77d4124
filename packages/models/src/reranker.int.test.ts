import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createReranker } from './reranker.ts';
import type { EndpointRerankerConfig } from './reranker-config.ts';

type Seen = { path: string; authorization: string | undefined; body: Record<string, unknown> };

let server: Server;
let seen: Seen[] = [];
let answer: { status: number; body: unknown } | 'nothing';
let baseUrl: string;

beforeAll(async () => {
  server = createServer((request, response) => {
    let text = '';
    request.on('data', (chunk: Buffer) => (text += chunk.toString()));
    request.on('end', () => {
      seen.push({
        path: request.url ?? '',
        authorization: request.headers.authorization,
        body: JSON.parse(text) as Record<string, unknown>,
      });
      if (answer === 'nothing') return;
      response.writeHead(answer.status, { 'content-type': 'application/json' });
      response.end(JSON.stringify(answer.body));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});

afterAll(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

async function rerank(config: Partial<EndpointRerankerConfig>, reply: typeof answer): Promise<number[]> {
  seen = [];
  answer = reply;
  const reranker = createReranker({
    provider: 'jina',
    baseUrl,
    apiKey: 'k',
    model: 'm',
    timeoutMs: 2_000,
    topN: 8,
    ...config,
  });
  try {
    return (await reranker?.rerank('q', ['a', 'b'])) ?? [];
  } finally {
    await reranker?.close();
  }
}

const results = {
  status: 200,
  body: {
    results: [
      { index: 1, relevance_score: 0.2 },
      { index: 0, relevance_score: 0.9 },
    ],
  },
};
const list = {
  status: 200,
  body: [
    { index: 1, score: -3 },
    { index: 0, score: 2.5 },
  ],
};

describe('createReranker', () => {
  test('none is none', () => {
    expect(createReranker({ provider: 'none' })).toBeNull();
  });

  test('the form of Cohere', async () => {
    await expect(rerank({ provider: 'cohere' }, results)).resolves.toEqual([0.9, 0.2]);
    expect(seen).toEqual([
      {
        path: '/v2/rerank',
        authorization: 'Bearer k',
        body: { model: 'm', query: 'q', documents: ['a', 'b'], top_n: 2 },
      },
    ]);
  });

  test('the form of Jina, which other servers have too', async () => {
    await expect(rerank({}, results)).resolves.toEqual([0.9, 0.2]);
    expect(seen[0]).toMatchObject({
      path: '/v1/rerank',
      body: { model: 'm', query: 'q', documents: ['a', 'b'], top_n: 2, return_documents: false },
    });
  });

  test('the form of text-embeddings-inference', async () => {
    await expect(rerank({ provider: 'tei', model: null, apiKey: '' }, list)).resolves.toEqual([2.5, -3]);
    expect(seen).toEqual([
      { path: '/rerank', authorization: undefined, body: { query: 'q', texts: ['a', 'b'], truncate: true } },
    ]);
  });

  test.each([
    ['', '/v1/rerank'],
    ['/', '/v1/rerank'],
    ['/rerank', '/rerank'],
    ['/api/v3', '/api/v3/rerank'],
    ['/api/v3/rerank', '/api/v3/rerank'],
  ])('the base URL path %j leads to %s', async (path, expected) => {
    await rerank({ baseUrl: `${baseUrl}${path}` }, results);
    expect(seen[0]?.path).toBe(expected);
  });

  test.each([
    [{ status: 200, body: { results: [{ index: 0, relevance_score: 0.9 }] } }, 'model_bad_reply'],
    [
      {
        status: 200,
        body: {
          results: [
            { index: 0, relevance_score: 1 },
            { index: 2, relevance_score: 1 },
          ],
        },
      },
      'model_bad_reply',
    ],
    [{ status: 200, body: { results: 'none' } }, 'model_bad_reply'],
    [{ status: 401, body: {} }, 'model_config'],
    [{ status: 429, body: {} }, 'model_throttled'],
    [{ status: 503, body: {} }, 'model_transient'],
  ])('%j is %s', async (reply, code) => {
    await expect(rerank({}, reply)).rejects.toMatchObject({ code });
  });

  test('one that never answers costs its timeout', async () => {
    await expect(rerank({ timeoutMs: 50 }, 'nothing')).rejects.toMatchObject({ code: 'model_transient' });
  });
});
