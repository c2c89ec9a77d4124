import { expect, test } from '@jest/globals';
import type { Request, Response } from 'express';
import { knownMethods } from './known-methods.ts';

const { beforeRoutes, afterRoutes } = knownMethods([
  { method: 'get', path: '/v1/notes' },
  { method: 'post', path: '/v1/notes' },
  { method: 'delete', path: '/v1/notes/{id}' },
  { method: 'post', path: '/v1/notes/batch' },
]);

/** `Allow` of the refusal, or that the request went on. */
function answerTo(handler: typeof afterRoutes, method: string, path: string): string {
  let answer = '';
  const request = { method, baseUrl: '/v1', path: path.slice('/v1'.length) } as Request;
  const response = { setHeader: (_name: string, value: string) => (answer = value) } as unknown as Response;
  try {
    void handler(request, response, () => {
      answer = 'went on';
    });
  } catch (error) {
    expect(error).toMatchObject({ code: 'method_not_allowed' });
  }
  return answer;
}

test.each([
  ['PUT', '/v1/notes', 'GET, HEAD, POST'],
  ['PUT', '/V1/Notes/', 'GET, HEAD, POST'],
  ['GET', '/v1/notes/a.b', 'DELETE'],
  ['GET', '/v1/notes/batch', 'POST'],
  ['GET', '/v1/notes//', 'went on'],
  ['GET', '/v1/notes/a/b', 'went on'],
  ['GET', '/v1/other', 'went on'],
])('%s %s after the routes: %s', (method, path, expected) => {
  expect(answerTo(afterRoutes, method, path)).toBe(expected);
});

test.each([
  ['OPTIONS', '/v1/notes', 'GET, HEAD, POST'],
  ['OPTIONS', '/v1/other', 'went on'],
  ['HEAD', '/v1/notes', 'went on'],
  ['PUT', '/v1/notes', 'GET, HEAD, POST'],
  ['DELETE', '/v1/notes/batch', 'POST'],
  ['PUT', '/v1/notes/a', 'went on'],
])('%s %s before the routes: %s', (method, path, expected) => {
  expect(answerTo(beforeRoutes, method, path)).toBe(expected);
});
