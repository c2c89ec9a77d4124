import type { Tenant, User } from '@factmill/contracts';
import {
  audited,
  type AuditedBy,
  changeTenant,
  createTenant,
  type Database,
  findUser,
  listTenants,
  listUsage,
  listUsers,
  type Sql,
  tenantOf,
  toUser,
  updateUser,
} from '@factmill/database';
import { AppError } from '@factmill/errors';
import { v7 as newId } from 'uuid';
import { LISTED_USAGE, type Operator } from './operator.ts';
import { tenantNamed } from './tenant-named.ts';

const PAGE = 200;

/** Who the audit names for what is done with access to the database. */
export function byOperator(tenantId: string): AuditedBy {
  return { tenantId, actor: 'operator', requestId: null };
}

/** Users and tenants on the Postgres of the services. */
export function administeringOf({
  database,
}: Readonly<{ database: Database }>): Pick<Operator, 'users' | 'tenants' | 'usage'> {
  return {
    users: {
      list: (prefix, tenant) => everyUser(database, prefix, tenant),
      async set(userId, changes, tenant) {
        const owner = { tenantId: await tenantNamed(database, tenant), userId };
        await audited(
          database,
          (tx) => updateUser(tx, owner, changes),
          (isChanged) =>
            isChanged
              ? {
                  ...byOperator(owner.tenantId),
                  action: 'user.changed',
                  target: { kind: 'user', id: userId },
                  userId,
                  fields: Object.keys(changes),
                }
              : null,
        );
        const row = await findUser(database, owner);
        if (row === undefined) throw new AppError('not_found', 'There is nothing of a user with this id.');
        return toUser(row);
      },
    },
    tenants: {
      list: () => everyTenant(database),
      async create(name, { default_preset: preset, limits, budgets = [] }) {
        const made = { id: newId(), name, defaultPreset: preset ?? null, limits, budgets };
        const tenant = await createTenant(database, made, byOperator(made.id));
        if (tenant !== undefined) return tenant;
        throw new AppError('state_conflict', 'There is a tenant with this name; choose another name.');
      },
      async set(name, settings) {
        const id = await tenantNamed(database, name);
        const found = await changeTenant(database, id, settings, byOperator(id));
        if (found !== undefined) return found.tenant;
        throw new AppError('not_found', 'There is no tenant with this name.');
      },
    },
    async usage({ groupBy, since, until }, tenant) {
      return listUsage(database, {
        tenantId: await tenantNamed(database, tenant),
        since: since ?? null,
        until: until ?? null,
        userId: null,
        model: null,
        purpose: null,
        groupBy,
        offset: 0,
        limit: LISTED_USAGE,
      });
    },
  };
}

async function* everyUser(database: Sql, prefix: string, tenant: string | undefined): AsyncGenerator<User> {
  const tenantId = await tenantNamed(database, tenant);
  let after: string | null = null;
  do {
    const page = { tenantId, prefix, contains: '', after, limit: PAGE };
    const { rows, next }: Awaited<ReturnType<typeof listUsers>> = await listUsers(database, page);
    yield* rows.map(toUser);
    after = next;
  } while (after !== null);
}

async function* everyTenant(database: Sql): AsyncGenerator<Tenant> {
  let after: string | null = null;
  do {
    const rows = await listTenants(database, { after, limit: PAGE });
    for (const row of rows) yield await tenantOf(database, row);
    after = rows.length < PAGE ? null : (rows.at(-1)?.name ?? null);
  } while (after !== null);
}
