import type { ApiKey, Permission, PresetName } from '@factmill/contracts';
import type { Sql } from '../../pool/sql.ts';
import type { AuditEntry } from '../audit/append-audit.ts';
import type { Listed } from '../fitting.ts';

export type ApiKeyRow = Readonly<{
  id: string;
  tenantId: string;
  secretSha256: Buffer;
  name: string;
  permissions: Permission[];
  userId: string | null;
  userLocked: boolean;
  preset: PresetName | null;
  createdAt: Date;
  expiresAt: Date | null;
  revokedAt: Date | null;
}>;

const COLUMNS = `id, tenant_id as "tenantId", secret_sha256 as "secretSha256", name, permissions,
  user_id as "userId", user_locked as "userLocked", preset, created_at as "createdAt", expires_at as "expiresAt", revoked_at as "revokedAt"`;

export type NewApiKey = Pick<
  ApiKeyRow,
  'id' | 'tenantId' | 'secretSha256' | 'name' | 'permissions' | 'userId' | 'expiresAt'
> &
  Partial<Pick<ApiKeyRow, 'userLocked' | 'preset'>>;

/** Stores a key. Resolves to undefined when the tenant has a key of that name already. */
export function insertApiKey(sql: Sql, key: NewApiKey): Promise<ApiKeyRow | undefined> {
  return sql.maybeOne<ApiKeyRow>(
    `insert into api_keys (id, tenant_id, secret_sha256, name, permissions, user_id, user_locked, expires_at, preset)
     values ($1::text, $2::uuid, $3::bytea, $4::text, $5::text[], $6::text, $7::boolean, $8::timestamptz, $9::text)
     on conflict (tenant_id, name) do nothing
     returning ${COLUMNS}`,
    [
      key.id,
      key.tenantId,
      key.secretSha256,
      key.name,
      key.permissions,
      key.userId,
      key.userLocked ?? false,
      key.expiresAt,
      key.preset ?? null,
    ],
  );
}

type AuditedChange = Pick<AuditEntry, 'action' | 'target' | 'userId' | 'fields'>;

/** A new key, for the audit. The fields are its permissions. */
export function keyCreated({ id, userId, permissions }: NewApiKey): AuditedChange {
  return { action: 'api_key.created', target: { kind: 'api_key', id }, userId, fields: permissions };
}

/** A revoked key, for the audit. */
export function keyRevoked(id: string): AuditedChange {
  return { action: 'api_key.revoked', target: { kind: 'api_key', id } };
}

/** A key by its public id, revoked ones included. Uses api_keys_pkey. */
export async function findApiKey(sql: Sql, id: string): Promise<ApiKeyRow | null> {
  const row = await sql.maybeOne<ApiKeyRow>(`select ${COLUMNS} from api_keys where id = $1::text`, [id]);
  return row ?? null;
}

/** A key of a list; `position` is `created_at` with its microseconds, for the cursor. */
export type ListedApiKey = ApiKeyRow & Listed & Readonly<{ position: string }>;

/** The keys of a tenant, newest first; all of them without `page`. */
export async function listApiKeys(
  sql: Sql,
  tenantId: string,
  page?: Readonly<{ before: Readonly<{ position: string; id: string }> | null; limit: number }>,
): Promise<ListedApiKey[]> {
  const { rows } = await sql.query<ListedApiKey>(
    `select ${COLUMNS}, row_number() over () < count(*) over () as more,
       to_char(created_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as position
     from (
       select * from api_keys
       where tenant_id = $1::uuid
         and ($2::timestamptz is null or (created_at, id) < ($2::timestamptz, $3::text))
       order by created_at desc, id desc limit $4::integer
     ) page`,
    [
      tenantId,
      page?.before?.position ?? null,
      page?.before?.id ?? null,
      page === undefined ? null : page.limit + 1,
    ],
  );
  return page === undefined ? rows : rows.slice(0, page.limit);
}

/**
 * Revokes a key; false when the tenant has no such active key. Frees the key's name.
 *
 * @param byOperator whether an operator asks: only operators may revoke operators' keys
 */
export async function revokeApiKey(
  sql: Sql,
  tenantId: string,
  id: string,
  byOperator: boolean,
): Promise<boolean> {
  const { rowCount } = await sql.query(
    `update api_keys set revoked_at = now(), name = name || ' (revoked ' || id || ')'
     where tenant_id = $1::uuid and id = $2::text and revoked_at is null
       and ($3::boolean or not 'operator' = any(permissions))`,
    [tenantId, id, byOperator],
  );
  return rowCount > 0;
}

/** A key in the form of the REST contract, without its secret. */
export function toApiKey(row: ApiKeyRow): ApiKey {
  return {
    id: row.id,
    name: row.name,
    permissions: row.permissions,
    user_id: row.userId,
    user_locked: row.userLocked,
    preset: row.preset,
    created_at: row.createdAt.toISOString(),
    expires_at: row.expiresAt?.toISOString() ?? null,
    revoked: row.revokedAt !== null,
    revoked_at: row.revokedAt?.toISOString() ?? null,
  };
}
