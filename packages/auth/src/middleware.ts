import type { Permission } from '@factmill/contracts';
import { AppError, isAppError } from '@factmill/errors';
import type { ErrorRequestHandler, Request, RequestHandler, Response } from 'express';
import type { Authenticator } from './authenticator.ts';
import { assertPermission } from './permissions.ts';
import type { Principal } from './principal.ts';
import { isSessionEnded, type Sessions } from './sessions.ts';

type AuthLocals = { principal?: Principal };

/** Runs before a key is checked and learns the result. It may refuse the request instead. */
export type AuthenticationGuard = (
  presented: Readonly<{ address: string | undefined; credential: string | null }>,
  check: () => Promise<Principal>,
) => Promise<Principal>;

/** The header that tells a caller when its key ends, from this long before on. */
const KEY_EXPIRES = 'X-Factmill-Key-Expires';
const NOTICE_MS = 14 * 86_400_000;

const noGuard: AuthenticationGuard = (_presented, check) => check();

/** Runs the rest of a request for its tenant. */
export type EnterTenant = (tenantId: string, rest: () => void) => void;

/** Where sessions are accepted in place of a key. */
export type SessionAccess = Pick<Sessions, 'check'> &
  Readonly<{
    /** The token of a request without a key, or null. May refuse the request. */
    tokenOf: (request: Request) => string | null;
  }>;

/**
 * Authenticates each request; the key comes as a bearer token, as X-API-Key, or as a Basic password (browsers).
 *
 * @param enterTenant from here on, the request is for the tenant of its key
 * @param sessions by default, a session is no key
 */
export function authentication(
  authenticator: Authenticator,
  guard: AuthenticationGuard = noGuard,
  enterTenant: EnterTenant = (_tenantId, rest) => rest(),
  sessions: SessionAccess | null = null,
): RequestHandler {
  /** Where nobody needs a key, a session that has ended is no worse than none. */
  async function bySession(token: string, { check }: SessionAccess): Promise<Principal> {
    try {
      return await check(token);
    } catch (error) {
      if (!isSessionEnded(error)) throw error;
      return authenticator.authenticate(null).catch(() => {
        throw error;
      });
    }
  }

  return async (request, response, next) => {
    const credential = credentialOf(request);
    const token = credential === null && sessions !== null ? sessions.tokenOf(request) : null;
    const check = () =>
      token === null || sessions === null
        ? authenticator.authenticate(credential)
        : bySession(token, sessions);
    const principal = await guard({ address: request.ip, credential: credential ?? token }, check);
    (response.locals as AuthLocals).principal = principal;
    const { expiresAt, session } = principal;
    if (expiresAt !== null && session === undefined && expiresAt.getTime() - Date.now() < NOTICE_MS) {
      response.setHeader(KEY_EXPIRES, expiresAt.toISOString());
    }
    enterTenant(principal.tenantId, next);
  };
}

/** Lets a request pass when its key has the permission. */
export function requirePermission(permission: Permission): RequestHandler {
  return (_request, response, next) => {
    assertPermission(principalOf(response), permission);
    next();
  };
}

/** A key that is locked to a user gets 404 for other users' data, never a conflict that would reveal it. */
export const hideOthers: ErrorRequestHandler = (error: unknown, _request, response, next) => {
  const { principal } = response.locals as AuthLocals;
  const isOthers = isAppError(error) && /^(?:conversation|document)_user_mismatch$/.test(error.code);
  next(
    isOthers && principal?.isLocked === true
      ? new AppError('not_found', 'There is nothing with this id for the user of this key.')
      : error,
  );
};

/** The caller of this request. */
export function principalOf(response: Response): Principal {
  const { principal } = response.locals as AuthLocals;
  if (principal === undefined) throw new AppError('unauthorized', 'This request was not authenticated.');
  return principal;
}

/** The key that a request brings, or what is in its place; null for none. */
export function credentialOf(request: Request): string | null {
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
