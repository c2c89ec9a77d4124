import type { Sql } from '../pool/sql.ts';
import { APP_ROLE, SYSTEM_ROLE } from '../pool/tenant-scope.ts';

/** What an administrator runs for a user that may not create roles, with the name of that user. */
export const ROLES_BY_HAND: readonly string[] = [
  `create role ${APP_ROLE} nologin;`,
  `create role ${SYSTEM_ROLE} nologin;`,
  `grant ${APP_ROLE}, ${SYSTEM_ROLE} to`,
];

/**
 * Gives tables their policies and roles their rights, as far as they lack them. Resolves to whether the user of the
 * connection may act as the roles of the services.
 */
export async function applyRowSecurity(sql: Sql): Promise<boolean> {
  const { granted } = await sql.one<{ granted: boolean }>('select apply_row_security() as granted');
  return granted;
}
