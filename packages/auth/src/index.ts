export { generateApiKey, generateSecret, parseApiKey, sha256 } from './api-key.ts';
export { createAuthenticator } from './authenticator.ts';
export type { Authenticator } from './authenticator.ts';
export type { AuthenticationGuard, SessionAccess } from './middleware.ts';
export { authentication, credentialOf, hideOthers, principalOf, requirePermission } from './middleware.ts';
export { assertPermission, isPermitted } from './permissions.ts';
export type { Principal } from './principal.ts';
export { assertAllUsers, effectiveUser, ownerOf, resolveUser, userOrAll } from './resolve-user.ts';
export type { ResolvedUser } from './resolve-user.ts';
export {
  clearSessionCookie,
  forwardedSession,
  readForwardedSession,
  readSessionCookie,
  setSessionCookie,
} from './session-cookie.ts';
export { createSessions, SESSION_IDLE_MS, SESSION_LIFETIME_MS } from './sessions.ts';
export type { Sessions } from './sessions.ts';
