import { type Client } from '@factmill/client';
import { parseSettingValue } from '@factmill/config';
import type { ApiKey } from '@factmill/contracts';
import { AppError } from '@factmill/errors';
import { openAsBlob } from 'node:fs';
import { LISTED_COMPRESSIONS, LISTED_USAGE, type Operator } from './operator.ts';

const IMPORT_TIMEOUT_MS = 600_000;

/** The operator's commands by the API of a running gateway. */
export function createApiOperator(client: Client): Operator {
  const { settings, apiKeys, compressions } = client;
  return {
    settings: {
      list: async () => (await settings.list()).data,
      set: (key, text) => settings.set(key, parseSettingValue(text)),
      unset: (key) => settings.unset(key),
    },
    keys: {
      async create(key, tenant) {
        assertOwnTenant(tenant);
        const created = await apiKeys.create({
          name: key.name,
          permissions: [...key.permissions],
          user_locked: key.userLocked,
          ...(key.preset === undefined ? {} : { preset: key.preset }),
          ...(key.userId === undefined ? {} : { user_id: key.userId }),
          ...(key.expiresAt === undefined ? {} : { expires_at: key.expiresAt.toISOString() }),
        });
        return created.key;
      },
      async list(tenant) {
        assertOwnTenant(tenant);
        const keys: ApiKey[] = [];
        for await (const key of apiKeys.listAll()) keys.push(key);
        return keys;
      },
      async rotate(id, overlapSeconds, tenant) {
        assertOwnTenant(tenant);
        return (await apiKeys.rotate(id, { overlap_seconds: overlapSeconds })).key;
      },
      async revoke(id, tenant) {
        assertOwnTenant(tenant);
        await apiKeys.revoke(id);
      },
    },
    audit: {
      verify(known, tenant) {
        assertOwnTenant(tenant);
        return client.audit.verify(known ?? {});
      },
    },
    users: {
      list(prefix, tenant) {
        assertOwnTenant(tenant);
        return client.users.listAll({ prefix });
      },
      set(userId, changes, tenant) {
        assertOwnTenant(tenant);
        return client.users.patch(userId, changes);
      },
    },
    tenants: {
      list: () => client.tenants.listAll(),
      create: (name, settings) => client.tenants.create({ name, ...settings }),
      async set(name, settings) {
        for await (const tenant of client.tenants.listAll()) {
          if (tenant.name === name) return client.tenants.patch(tenant.id, settings);
        }
        throw new AppError('not_found', 'There is no tenant with this name.');
      },
    },
    async usage({ groupBy, since, until }, tenant) {
      assertOwnTenant(tenant);
      const days = { ...(since === undefined ? {} : { since }), ...(until === undefined ? {} : { until }) };
      return (await client.usage({ ...days, group_by: groupBy.join(','), limit: LISTED_USAGE })).data;
    },
    async clear(userId, tenant) {
      assertOwnTenant(tenant);
      return client.memories.clear({ user_id: userId, confirm: userId });
    },
    async import(userId, { source, items, dryRun }, tenant) {
      assertOwnTenant(tenant);
      const body = { user_id: userId, source, dry_run: dryRun, items: [...items] };
      return (await client.memories.import(body)).results;
    },
    async exportRows(userId, tenant, write) {
      assertOwnTenant(tenant);
      const { body } = userId === null ? await client.tenant.export() : await client.users.export(userId);
      if (body === null) return;
      for await (const part of body) await write(part);
    },
    async importRows(userId, { path }, tenant) {
      assertOwnTenant(tenant);
      const file = await openAsBlob(path);
      const options = { timeoutMs: IMPORT_TIMEOUT_MS };
      return userId === null
        ? client.tenant.import(file, options)
        : client.users.import(userId, file, options);
    },
    compressions: {
      start(wanted, tenant) {
        assertOwnTenant(tenant);
        return compressions.start({
          user_id: wanted.userId,
          kind: wanted.kind,
          dry_run: wanted.dryRun,
          ...(wanted.date === undefined ? {} : { date: wanted.date }),
        });
      },
      get(id) {
        return compressions.get(id);
      },
      async list(userId, tenant) {
        assertOwnTenant(tenant);
        const whose = userId === undefined ? { all_users: true } : { user_id: userId };
        return (await compressions.list({ ...whose, limit: LISTED_COMPRESSIONS })).data;
      },
    },
  };
}

function assertOwnTenant(tenant: string | undefined): void {
  if (tenant === undefined) return;
  throw new AppError(
    'invalid_request',
    '--tenant needs DATABASE_URL. By the API a command works for the tenant of its key.',
  );
}
