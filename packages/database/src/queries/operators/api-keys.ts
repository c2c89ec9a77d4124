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
  rotatedAt: Date | null;
  /** The secret before the last rotation works until `previousUntil`. */
  previousSha256: Buffer | null;
  previousUntil: Date | null;
  lastUsedAt: Date | null;
}>;

const COLUMNS = `id, tenant_id as "tenantId", secret_sha256 as "secretSha256", name, permissions,
  user_id as "userId", user_locked as "userLocked", preset, created_at as "createdAt", expires_at as "expiresAt", revoked_at as "revokedAt",
  rotated_at as "rotatedAt", previous_sha256 as "previousSha256", previous_until as "previousUntil",
  last_used_at as "lastUsedAt"`;

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

/** A key with a new secret, for the audit. */
export function keyRotated(id: string): AuditedChange {
  return { action: 'api_key.rotated', target: { kind: 'api_key', id } };
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

/**
 * Gives a key a new secret. The one before works for `overlapSeconds` more; one before that ends now. Undefined when the
 * tenant has no such key in force.
 *
 * @param rotation `expiresAt`: null for never, undefined for as it was. `byOperator`: as for revokeApiKey
 */
export function rotateApiKey(
  sql: Sql,
  rotation: Readonly<{
    tenantId: string;
    id: string;
    secretSha256: Buffer;
    overlapSeconds: number;
    expiresAt: Date | null | undefined;
    byOperator: boolean;
  }>,
): Promise<ApiKeyRow | undefined> {
  return sql.maybeOne<ApiKeyRow>(
    `update api_keys set secret_sha256 = $3::bytea, rotated_at = now(),
       previous_sha256 = case when $4::integer > 0 then secret_sha256 end,
       previous_until = case when $4::integer > 0 then now() + $4::integer * interval '1 second' end,
       expires_at = case when $5::boolean then $6::timestamptz else expires_at end
     where tenant_id = $1::uuid and id = $2::text and revoked_at is null
       and ($5::boolean or expires_at is null or expires_at > now())
       and ($7::boolean or not 'operator' = any(permissions))
     returning ${COLUMNS}`,
    [
      rotation.tenantId,
      rotation.id,
      rotation.secretSha256,
      rotation.overlapSeconds,
      rotation.expiresAt !== undefined,
      rotation.expiresAt ?? null,
      rotation.byOperator,
    ],
  );
}

/** How exactly it is stored when a key was last used. */
const USE_EXACT_TO = `interval '1 minute'`;

/** Stores that a key was used now. */
export async function noteApiKeyUse(
  sql: Sql,
  key: Readonly<{ tenantId: string; id: string }>,
): Promise<void> {
  await sql.query(
    `update api_keys set last_used_at = now()
     where tenant_id = $1::uuid and id = $2::text
       and (last_used_at is null or last_used_at < now() - ${USE_EXACT_TO})`,
    [key.tenantId, key.id],
  );
}

/** A key in the form of the REST contract, without its secret. */
export function toApiKey(row: ApiKeyRow, now = new Date()): ApiKey {
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
    rotated_at: row.rotatedAt?.toISOString() ?? null,
    previous_secret_until:
      row.previousUntil !== null && row.previousUntil > now ? row.previousUntil.toISOString() : null,
    last_used_at: row.lastUsedAt?.toISOString() ?? null,
  };
}
