import { afterEach, describe, expect, test } from '@jest/globals';
import type { Permission } from '@factmill/contracts';
import { AppError, isAppError } from '@factmill/errors';
import express, { type ErrorRequestHandler } from 'express';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Authenticator } from './authenticator.ts';
import { authentication, principalOf, requirePermission } from './middleware.ts';

const servers: Server[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await new Promise((resolve) => server.close(resolve));
});

/** Answers with the credential it was given, or with the code of the error. */
async function serve(permissions: readonly Permission[], needed?: Permission): Promise<string> {
  const authenticator: Authenticator = {
    authenticate: (credential) => {
      if (credential === 'wrong') return Promise.reject(new AppError('unauthorized', 'no'));
      return Promise.resolve({
        tenantId: 't',
        keyId: null,
        keyName: credential,
        pinnedUserId: null,
        isLocked: false,
        preset: null,
        permissions: new Set(permissions),
        expiresAt: null,
      });
    },
    authenticateNow: () => Promise.reject(new Error('nobody signs in here')),
    forget: () => undefined,
  };
  const app = express();
  app.use(authentication(authenticator));
  if (needed !== undefined) app.use(requirePermission(needed));
  app.get('/', (_request, response) => {
    response.json(principalOf(response).keyName);
  });
  const onError: ErrorRequestHandler = (error: unknown, _request, response, _next) => {
    response.json(isAppError(error) ? error.code : 'foreign');
  };
  app.use(onError);
  const server = app.listen(0, '127.0.0.1');
  servers.push(server);
  await new Promise((resolve) => server.once('listening', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

async function ask(url: string, headers: Record<string, string>): Promise<unknown> {
  return (await fetch(url, { headers: { ...headers, connection: 'close' } })).json();
}

const basic = (text: string) => `Basic ${Buffer.from(text).toString('base64')}`;

describe('where the key is looked for', () => {
  test.each([
    [{}, null],
    [{ authorization: 'Bearer fm_key' }, 'fm_key'],
    [{ authorization: 'bearer fm_key' }, 'fm_key'],
    [{ 'x-api-key': 'fm_key' }, 'fm_key'],
    [{ 'x-api-key': 'fm_key', authorization: 'Bearer other' }, 'fm_key'],
    [{ 'x-api-key': '', authorization: 'Bearer fm_key' }, 'fm_key'],
    [{ authorization: basic('anyone:fm_key') }, 'fm_key'],
    [{ authorization: basic(':fm_key') }, 'fm_key'],
    [{ authorization: basic('anyone:fm:with:colons') }, 'fm:with:colons'],
    [{ authorization: 'Bearer' }, null],
    [{ authorization: 'Digest fm_key' }, null],
  ])('%j → %j', async (headers: Record<string, string>, expected) => {
    expect(await ask(await serve([]), headers)).toBe(expected);
  });

  test('a refusal reaches the error handler', async () => {
    expect(await ask(await serve([]), { 'x-api-key': 'wrong' })).toBe('unauthorized');
  });
});

describe('permissions', () => {
  test.each<[Permission[], Permission, string | null]>([
    [['memory.read'], 'memory.read', 'k'],
    [['memory.read'], 'memory.write', 'forbidden'],
    [['memory.write'], 'memory.read', 'forbidden'],
    [['admin'], 'memory.read_all', 'k'],
    [['queue.write'], 'admin', 'forbidden'],
    [['admin'], 'operator', 'forbidden'],
    [['operator'], 'operator', 'k'],
    [['operator'], 'admin', 'forbidden'],
    [['operator'], 'memory.read', 'forbidden'],
    [['admin'], 'chat', 'k'],
    [['admin'], 'upstream', 'k'],
    [['memory.read', 'memory.write'], 'chat', 'forbidden'],
    [['chat'], 'upstream', 'forbidden'],
    [[], 'memory.read', 'forbidden'],
  ])('%j for %s → %s', async (permissions, needed, expected) => {
    expect(await ask(await serve(permissions, needed), { 'x-api-key': 'k' })).toBe(expected);
  });
});
