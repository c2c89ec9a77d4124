import type { Sql } from '../../pool/sql.ts';

/** Why the policies of the tables would not apply to a user. */
export type Exemption = 'superuser' | 'bypassrls' | 'owner';

/**
 * Why the policies do not apply to the user of the connection, or to a role that this user may take; null when they
 * apply.
 */
export async function findExemption(sql: Sql): Promise<Exemption | null> {
  const { exemption } = await sql.one<{ exemption: Exemption | null }>(
    `select case when bool_or(rolsuper) then 'superuser' when bool_or(rolbypassrls) then 'bypassrls'
       when exists (select from pg_class c where c.relnamespace = current_schema()::regnamespace
         and c.relrowsecurity and pg_has_role(c.relowner, 'member')) then 'owner' end as exemption
     from pg_roles where pg_has_role(oid, 'member')`,
  );
  return exemption;
}

/** Whether the schema is there and belongs to somebody else, so that this user cannot migrate it. */
export async function isSchemaOfAnother(sql: Sql): Promise<boolean> {
  const { isOfAnother } = await sql.one<{ isOfAnother: boolean }>(
    `select exists (select from pg_class c where c.relnamespace = current_schema()::regnamespace
       and c.relname = 'factmill_migrations' and not pg_has_role(c.relowner, 'member')) as "isOfAnother"`,
  );
  return isOfAnother;
}
