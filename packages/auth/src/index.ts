export { generateApiKey, parseApiKey } from './api-key.ts';
export type { GeneratedKey } from './api-key.ts';
export { createAuthenticator } from './authenticator.ts';
export type { Authenticator, AuthenticatorDeps, Principal, StoredKey } from './authenticator.ts';
export type { AuthenticationGuard } from './middleware.ts';
export { assertPermission, authentication, principalOf, requirePermission } from './middleware.ts';
export { effectiveUser, resolveUser } from './resolve-user.ts';
export type { ResolvedUser } from './resolve-user.ts';
