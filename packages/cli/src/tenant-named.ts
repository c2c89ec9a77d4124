import { findTenantId, type Sql } from '@factmill/database';
import { AppError } from '@factmill/errors';

export const DEFAULT_TENANT_NAME = 'default';

/** The id of a tenant. @throws AppError `not_found` */
export async function tenantNamed(database: Sql, name = DEFAULT_TENANT_NAME): Promise<string> {
  const id = await findTenantId(database, name);
  if (id === undefined) throw new AppError('not_found', 'There is no tenant with this name.');
  return id;
}
