import {
  clearSessionCookie,
  credentialOf,
  isPermitted,
  type Principal,
  principalOf,
  readSessionCookie,
  SESSION_IDLE_MS,
  SESSION_LIFETIME_MS,
  setSessionCookie,
  sha256,
} from '@factmill/auth';
import { type ConsoleSession, PERMISSIONS } from '@factmill/contracts';
import { audited, deleteConsoleSession, insertConsoleSession } from '@factmill/database';
import { auditedBy, VERSION } from '@factmill/runtime';
import { type RequestHandler, type Response, Router } from 'express';
import type { RouteDeps } from '../route-deps.ts';
import { BULL_BOARD_PATH } from '../routes/admin-queues.ts';
import { orNobody, signedIn } from './or-nobody.ts';

type SessionRoutesDeps = Pick<RouteDeps, 'config' | 'database' | 'authenticator' | 'admit'> &
  Readonly<{
    /** Takes a session as well as a key. */
    authenticateSession: RequestHandler;
  }>;

/** `/console/session`: an API key is exchanged for a cookie that scripts cannot read. */
export function consoleSessionRoutes(deps: SessionRoutesDeps): Router {
  const { config, database, authenticator } = deps;
  const { sessions } = authenticator;
  const router = Router();

  function describe(principal: Principal | null): ConsoleSession {
    return {
      signed_in: principal !== null,
      auth: config.auth.mode,
      writable: config.console.isWritable,
      version: VERSION,
      queue_board: principal !== null && isPermitted(principal, 'operator') ? BULL_BOARD_PATH : null,
      session: principal === null ? null : toSession(principal),
    };
  }

  router.get('/', orNobody(deps.authenticateSession), (request, response) => {
    const principal = signedIn(response);
    if (principal?.session === undefined && readSessionCookie(request) !== null)
      clearSessionCookie(request, response);
    response.json(describe(principal));
  });

  router.post('/', ...deps.admit, async (request, response) => {
    const issued = sessions.issue(credentialOf(request));
    const principal = principalOf(response);
    if (issued === null) {
      response.json(describe(principal));
      return;
    }
    // A key that was revoked a moment ago may still be in the cache.
    await authenticator.authenticateNow(credentialOf(request));
    const { token, session } = issued;
    await audited(
      database.accept,
      (tx) => insertConsoleSession(tx, { ...session, tenantId: principal.tenantId }),
      () => ({ ...auditedBy(response), action: 'session.started' }),
    );
    setSessionCookie(request, response, token, SESSION_LIFETIME_MS);
    response.json(describe({ ...principal, session: { expiresAt: earlier(session.expiresAt, principal) } }));
  });

  router.delete('/', orNobody(deps.authenticateSession), async (request, response) => {
    const token = readSessionCookie(request);
    if (token !== null && signedIn(response)?.session !== undefined) await end(token, response);
    clearSessionCookie(request, response);
    response.status(204).end();
  });

  async function end(token: string, response: Response): Promise<void> {
    await audited(
      database.accept,
      (tx) => deleteConsoleSession(tx, sha256(token)),
      (isDeleted) => (isDeleted ? { ...auditedBy(response), action: 'session.ended' } : null),
    );
    sessions.forget(token);
  }

  return router;
}

function earlier(end: Date, { expiresAt }: Principal): Date {
  return expiresAt !== null && expiresAt < end ? expiresAt : end;
}

function toSession(principal: Principal): ConsoleSession['session'] {
  const { keyId, keyName, tenantId, pinnedUserId, isLocked, session } = principal;
  return {
    key_id: keyId,
    key_name: keyName,
    tenant_id: tenantId,
    permissions: PERMISSIONS.filter((name) => isPermitted(principal, name)),
    user_id: pinnedUserId,
    user_locked: isLocked,
    expires_at: session?.expiresAt.toISOString() ?? null,
    idle_seconds: session === undefined ? null : SESSION_IDLE_MS / 1_000,
  };
}
