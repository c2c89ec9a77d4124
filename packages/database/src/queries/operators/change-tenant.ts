import { appendAudit, type AuditedBy } from '../audit/append-audit.ts';
import type { Budget, Tenant } from '@factmill/contracts';
import type { Database, Sql } from '../../pool/sql.ts';
import { listBudgets, replaceBudgets, type ResumedExtraction } from '../usage/budgets.ts';
import {
  insertTenant,
  type NewTenant,
  type TenantChanges,
  type TenantRow,
  toTenant,
  updateTenant,
} from './tenants.ts';

/** A tenant with its budgets, in the form of the REST contract. */
export async function tenantOf(sql: Sql, row: TenantRow): Promise<Tenant> {
  return toTenant(row, await listBudgets(sql, row.id));
}

/** Creates a tenant; undefined when the name is taken. */
export function createTenant(
  database: Database,
  { budgets, ...tenant }: NewTenant & Readonly<{ budgets: readonly Budget[] }>,
  by: AuditedBy,
): Promise<Tenant | undefined> {
  return database.transaction(async (tx) => {
    const row = await insertTenant(tx, tenant);
    if (row === undefined) return undefined;
    await replaceBudgets(tx, row.id, budgets);
    const created = await tenantOf(tx, row);
    const target = { kind: 'tenant', id: row.id } as const;
    await appendAudit(tx, { ...by, tenantId: row.id, action: 'tenant.created', target });
    return created;
  });
}

/**
 * Changes a tenant, and in the same transaction lets go on what waited for a budget that is raised; resumed names the
 * oldest of it. Undefined when there is no such tenant.
 *
 * @param by who did it: the audit of the tenant says so
 * @param changes `budgets` replace all that there were; undefined: they stay
 * @throws AppError with the constraint tenants_name_key when the name is taken
 */
export function changeTenant(
  database: Database,
  id: string,
  { budgets, ...changes }: TenantChanges & Readonly<{ budgets?: readonly Budget[] | undefined }>,
  by: AuditedBy,
): Promise<Readonly<{ tenant: Tenant; resumed: readonly ResumedExtraction[] }> | undefined> {
  return database.transaction(async (tx) => {
    const row = await updateTenant(tx, id, changes);
    if (row === undefined) return undefined;
    const resumed = budgets === undefined ? [] : await replaceBudgets(tx, id, budgets);
    const tenant = await tenantOf(tx, row);
    const fields = Object.entries({ ...changes, budgets }).flatMap(([name, value]) =>
      value === undefined ? [] : [name],
    );
    const target = { kind: 'tenant', id } as const;
    await appendAudit(tx, { ...by, tenantId: id, action: 'tenant.changed', target, fields });
    return { tenant, resumed };
  });
}
