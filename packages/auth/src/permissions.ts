import type { Permission } from '@factmill/contracts';
import { AppError } from '@factmill/errors';
import type { Principal } from './principal.ts';

/**
 * Whether a caller has a permission. `admin` includes every permission inside its tenant, but not `operator`, which
 * covers what all tenants share.
 */
export function isPermitted(principal: Principal, permission: Permission): boolean {
  const { permissions } = principal;
  return permissions.has(permission) || (permission !== 'operator' && permissions.has('admin'));
}

/** @throws AppError `forbidden` naming the missing permission */
export function assertPermission(principal: Principal, permission: Permission): void {
  if (!isPermitted(principal, permission)) {
    throw new AppError('forbidden', `This API key lacks the permission ${permission}.`);
  }
}
