import { AsyncLocalStorage } from 'node:async_hooks';
import { AppError } from '@factmill/errors';
import type { TransactionOptions } from './sql.ts';

/** The role of statements that serve one tenant: the policies of the tables show it the rows of that tenant only. */
export const APP_ROLE = 'factmill_app';
/** The role of work that belongs to no single tenant: accepting batches, sweeping, looking up keys. */
export const SYSTEM_ROLE = 'factmill_system';

/** As whom a statement runs. An empty tenant: none, so that the policies show no row. */
export type Scope = Readonly<{ role: typeof APP_ROLE | typeof SYSTEM_ROLE; tenantId: string }>;

export const SYSTEM_SCOPE: Scope = { role: SYSTEM_ROLE, tenantId: '' };
const NO_TENANT: Scope = { role: APP_ROLE, tenantId: '' };

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const current = new AsyncLocalStorage<Scope>();

/**
 * Runs `work` for one tenant: statements of a pool with row-level security see only this tenant's rows, in everything
 * that `work` awaits. What runs on a timer that `work` has started belongs to the tenant as well: give such work a pool
 * `as('system')`.
 */
export function asTenant<T>(tenantId: string, work: () => T): T {
  // It becomes part of a statement's text.
  if (!UUID.test(tenantId)) throw new AppError('internal', 'The id of a tenant is no UUID.');
  return current.run({ role: APP_ROLE, tenantId }, work);
}

/** The scope of the tenant that the current work is for. */
export const tenantScope = (): Scope => current.getStore() ?? NO_TENANT;

/**
 * The text that begins a transaction. SET takes no snapshot, so that the first statement of the caller decides what a
 * repeatable read sees, and LOCAL ends with the transaction, also behind PgBouncer.
 */
export function beginText(scope: Scope | undefined, isolation: TransactionOptions['isolation']): string {
  const begin = isolation === undefined ? 'begin' : `begin isolation level ${isolation}`;
  return scope === undefined
    ? begin
    : `${begin}; set local role ${scope.role}; set local factmill.tenant_id = '${scope.tenantId}'`;
}
