import type { Permission } from '@factmill/contracts';
import { AppError } from '@factmill/errors';
import type { Request, RequestHandler, Response } from 'express';
import type { Authenticator, Principal } from './authenticator.ts';

type AuthLocals = { principal?: Principal };

/** Stands before the check of a key, and sees how it ends: it may refuse instead. */
export type AuthenticationGuard = (
  presented: Readonly<{ address: string | undefined; credential: string | null }>,
  check: () => Promise<Principal>,
) => Promise<Principal>;

const noGuard: AuthenticationGuard = (_presented, check) => check();

/** Authenticates each request; the key comes as a bearer token, as X-API-Key, or as a Basic password (browsers). */
export function authentication(
  authenticator: Authenticator,
  guard: AuthenticationGuard = noGuard,
): RequestHandler {
  return async (request, response, next) => {
    const credential = credentialOf(request);
    const check = () => authenticator.authenticate(credential);
    (response.locals as AuthLocals).principal = await guard({ address: request.ip, credential }, check);
    next();
  };
}

/** Lets a request pass when its key has the permission; `admin` includes all others. */
export function requirePermission(permission: Permission): RequestHandler {
  return (_request, response, next) => {
    assertPermission(principalOf(response), permission);
    next();
  };
}

/** @throws AppError `forbidden` naming the permission that is missing. */
export function assertPermission(principal: Principal, permission: Permission): void {
  if (!principal.permissions.has(permission) && !principal.permissions.has('admin')) {
    throw new AppError('forbidden', `This API key lacks the permission ${permission}.`);
  }
}

/** Who made this request. */
export function principalOf(response: Response): Principal {
  const { principal } = response.locals as AuthLocals;
  if (principal === undefined) throw new AppError('unauthorized', 'This request was not authenticated.');
  return principal;
}

function credentialOf(request: Request): string | null {
  const apiKey = request.header('x-api-key');
  if (apiKey !== undefined && apiKey !== '') return apiKey;
  const authorization = request.header('authorization');
  if (authorization === undefined) return null;
  const [scheme, credential] = authorization.split(' ', 2);
  if (credential === undefined || credential === '') return null;
  if (scheme?.toLowerCase() === 'bearer') return credential;
  if (scheme?.toLowerCase() === 'basic') {
    const pair = Buffer.from(credential, 'base64').toString('utf8');
    return pair.slice(pair.indexOf(':') + 1);
  }
  return null;
}
