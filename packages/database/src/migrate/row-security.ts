import type { Sql } from '../pool/sql.ts';
import { APP_ROLE, SYSTEM_ROLE } from '../pool/tenant-scope.ts';

/**
 * Gives tables their policies and roles their rights, as far as they lack them. Resolves to the statements that are left
 * for an administrator of the server, because the user of the connection may not create roles.
 */
export async function applyRowSecurity(sql: Sql): Promise<string[]> {
  const { isWhole } = await sql.one<{ isWhole: boolean }>('select apply_row_security() as "isWhole"');
  return isWhole ? [] : [`create role ${APP_ROLE} nologin;`, `create role ${SYSTEM_ROLE} nologin;`];
}
