export { generateApiKey, generateSecret, parseApiKey } from './api-key.ts';
export { createAuthenticator } from './authenticator.ts';
export type { Authenticator, Principal } from './authenticator.ts';
export type { AuthenticationGuard } from './middleware.ts';
export { authentication, hideOthers, principalOf, requirePermission } from './middleware.ts';
export { assertPermission, isPermitted } from './permissions.ts';
export { assertAllUsers, effectiveUser, ownerOf, resolveUser, userOrAll } from './resolve-user.ts';
export type { ResolvedUser } from './resolve-user.ts';
