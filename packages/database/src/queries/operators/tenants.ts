import type { PresetName, Tenant } from '@factmill/contracts';
import type { Sql } from '../../pool/sql.ts';
import type { BudgetState } from '../usage/budgets.ts';

/** Created by the first migration; the tenant of requests without an API key. */
export const DEFAULT_TENANT_ID = '00000000-0000-7000-8000-000000000001';

/** In place of the deployment's rates; missing: the deployment's. 0: no limit. */
export type TenantLimits = Readonly<{ key_per_second?: number; tenant_per_second?: number }>;

export type TenantRow = Readonly<{
  id: string;
  name: string;
  createdAt: Date;
  defaultPreset: PresetName | null;
  limits: TenantLimits;
}>;

const COLUMNS = 'id, name, created_at as "createdAt", default_preset as "defaultPreset", limits';

/** The id of the tenant with this name, or undefined. */
export async function findTenantId(sql: Sql, name: string): Promise<string | undefined> {
  const row = await sql.maybeOne<{ id: string }>('select id from tenants where name = $1::text', [name]);
  return row?.id;
}

/** The id of the tenant with this name, created when missing. */
export async function ensureTenant(sql: Sql, name: string, newId: string): Promise<string> {
  await sql.query(
    'insert into tenants (id, name) values ($1::uuid, $2::text) on conflict (name) do nothing',
    [newId, name],
  );
  const { id } = await sql.one<{ id: string }>('select id from tenants where name = $1::text', [name]);
  return id;
}

export type NewTenant = Readonly<{
  id: string;
  name: string;
  defaultPreset: PresetName | null;
  limits: TenantChanges['limits'];
}>;

/** Resolves to undefined when there is a tenant of that name already. */
export function insertTenant(sql: Sql, tenant: NewTenant): Promise<TenantRow | undefined> {
  return sql.maybeOne<TenantRow>(
    `insert into tenants (id, name, default_preset, limits) values ($1::uuid, $2::text, $3::text, jsonb_strip_nulls($4::jsonb))
     on conflict (name) do nothing returning ${COLUMNS}`,
    [tenant.id, tenant.name, tenant.defaultPreset, JSON.stringify(tenant.limits ?? {})],
  );
}

/** The tenants in the order of their names, from `after` on. Uses tenants_name_key. */
export async function listTenants(
  sql: Sql,
  page: Readonly<{ after: string | null; limit: number }>,
): Promise<TenantRow[]> {
  const { rows } = await sql.query<TenantRow>(
    `select ${COLUMNS} from tenants where $1::text is null or name > $1::text order by name limit $2::integer`,
    [page.after, page.limit],
  );
  return rows;
}

export function findTenant(sql: Sql, id: string): Promise<TenantRow | undefined> {
  return sql.maybeOne<TenantRow>(`select ${COLUMNS} from tenants where id = $1::uuid`, [id]);
}

/** Fields that are undefined stay as they are; null gives a setting back to the deployment. */
export type TenantChanges = Readonly<{
  name?: string | undefined;
  default_preset?: PresetName | null | undefined;
  limits?: Readonly<Partial<Record<keyof TenantLimits, number | null | undefined>>> | undefined;
}>;

/**
 * Changes a tenant, and holds its row until the end of the transaction. Undefined when there is no such tenant.
 *
 * @throws AppError with the constraint tenants_name_key when the name is taken
 */
export function updateTenant(sql: Sql, id: string, changes: TenantChanges): Promise<TenantRow | undefined> {
  return sql.maybeOne<TenantRow>(
    `update tenants set
       name = coalesce(p->>'name', name),
       default_preset = case when p ? 'default_preset' then p->>'default_preset' else default_preset end,
       limits = jsonb_strip_nulls(limits || coalesce(p->'limits', '{}'))
     from (select $2::jsonb as p) as patch
     where id = $1::uuid returning ${COLUMNS}`,
    [id, JSON.stringify(changes)],
  );
}

/** A tenant in the form of the REST contract. */
export function toTenant(row: TenantRow, budgets: readonly BudgetState[]): Tenant {
  return {
    id: row.id,
    name: row.name,
    created_at: row.createdAt.toISOString(),
    default_preset: row.defaultPreset,
    limits: row.limits,
    budgets: budgets.map(({ resetsAt, ...budget }) => ({ ...budget, resets_at: resetsAt.toISOString() })),
  };
}

/** The limits of all tenants that have some of their own, by id. */
export async function listTenantLimits(sql: Sql): Promise<ReadonlyMap<string, TenantLimits>> {
  const { rows } = await sql.query<Pick<TenantRow, 'id' | 'limits'>>(
    `select id, limits from tenants where limits <> '{}'`,
  );
  return new Map(rows.map(({ id, limits }) => [id, limits]));
}
