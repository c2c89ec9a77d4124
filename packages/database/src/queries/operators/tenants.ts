import type { Sql } from '../../pool/sql.ts';

/** Created by the first migration; the tenant of requests without an API key. */
export const DEFAULT_TENANT_ID = '00000000-0000-7000-8000-000000000001';

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
