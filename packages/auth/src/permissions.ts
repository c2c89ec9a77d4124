import type { Permission } from '@factmill/contracts';
import { AppError } from '@factmill/errors';
import type { Principal } from './authenticator.ts';

/**
 * Whether a request may do something. `admin` includes everything inside its tenant; what all tenants share needs
 * `operator`, which no other permission includes.
 */
export function isPermitted(principal: Principal, permission: Permission): boolean {
  const { permissions } = principal;
  return permissions.has(permission) || (permission !== 'operator' && permissions.has('admin'));
}

/** @throws AppError `forbidden` naming the permission that is missing. */
export function assertPermission(principal: Principal, permission: Permission): void {
  if (!isPermitted(principal, permission)) {
    throw new AppError('forbidden', `This API key lacks the permission ${permission}.`);
  }
}
