import type { Sql } from '../../pool/sql.ts';
import { type ApiKeyRow, findApiKey } from './api-keys.ts';

export type ConsoleSessionRow = Readonly<{
  tokenSha256: Buffer;
  /** Null: of the administrator's key of the environment. */
  keyId: string | null;
  keyProof: Buffer;
  seenAt: Date;
  expiresAt: Date;
}>;

export type FoundConsoleSession = Readonly<{
  session: ConsoleSessionRow;
  /** As it is now; null when it is gone, or the session is of none. */
  key: ApiKeyRow | null;
}>;

/** So many sessions that are over are removed with each new one. */
const REMOVED_AT_ONCE = 100;

/** Stores a session, and removes some that are over. */
export async function insertConsoleSession(
  sql: Sql,
  session: ConsoleSessionRow & Readonly<{ tenantId: string }>,
): Promise<void> {
  await sql.query(
    `with over as (
       delete from console_sessions where token_sha256 in (
         select token_sha256 from console_sessions where expires_at < now() limit ${REMOVED_AT_ONCE} for update skip locked)
     )
     insert into console_sessions (token_sha256, tenant_id, key_id, key_proof, seen_at, expires_at)
     values ($1::bytea, $2::uuid, $3::text, $4::bytea, $5::timestamptz, $6::timestamptz)`,
    [
      session.tokenSha256,
      session.tenantId,
      session.keyId,
      session.keyProof,
      session.seenAt,
      session.expiresAt,
    ],
  );
}

/** The session of this token with its key, or null. Uses console_sessions_pkey and api_keys_id_key. */
export async function findConsoleSession(sql: Sql, tokenSha256: Buffer): Promise<FoundConsoleSession | null> {
  const session = await sql.maybeOne<ConsoleSessionRow>(
    `select token_sha256 as "tokenSha256", key_id as "keyId", key_proof as "keyProof", seen_at as "seenAt",
       expires_at as "expiresAt"
     from console_sessions where token_sha256 = $1::bytea`,
    [tokenSha256],
  );
  if (session === undefined) return null;
  const key = session.keyId === null ? null : await findApiKey(sql, session.keyId);
  return { session, key };
}

/** Stores when a session was used. */
export async function noteConsoleSessionUse(sql: Sql, tokenSha256: Buffer, at: Date): Promise<void> {
  await sql.query(
    `update console_sessions set seen_at = greatest(seen_at, $2::timestamptz) where token_sha256 = $1::bytea`,
    [tokenSha256, at],
  );
}

/** Ends a session; false when there was none. */
export async function deleteConsoleSession(sql: Sql, tokenSha256: Buffer): Promise<boolean> {
  const { rowCount } = await sql.query('delete from console_sessions where token_sha256 = $1::bytea', [
    tokenSha256,
  ]);
  return rowCount > 0;
}
