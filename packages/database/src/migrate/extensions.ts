import { AppError } from '@factmill/errors';
import { sqlStateOf } from '../pool/database-errors.ts';
import type { DatabaseLogger } from '../pool/database-logger.ts';
import type { Sql } from '../pool/sql.ts';

/** First version with halfvec, the type of stored embeddings. */
const MIN_VECTOR_VERSION = '0.7.0';
/** First version without the overflow in parallel index builds (CVE-2026-3172) and the HNSW vacuum corruption. */
const SAFE_VECTOR_VERSION = '0.8.6';

/**
 * Ensures that pgvector is installed and new enough; returns its version. Throws `config_invalid` with what to do
 * otherwise.
 */
export async function ensureVector(sql: Sql): Promise<string> {
  const installed = await installedVersion(sql, 'vector');
  if (installed === undefined) await createVector(sql);
  const version = installed ?? (await installedVersion(sql, 'vector')) ?? '0';
  assertVectorVersion(version);
  return version;
}

/** Throws `config_invalid` when a pgvector of this version is too old. */
export function assertVectorVersion(version: string): void {
  if (compareVersions(version, MIN_VECTOR_VERSION) >= 0) return;
  throw new AppError(
    'config_invalid',
    `The database has pgvector ${version}; ${MIN_VECTOR_VERSION} or newer is needed. ` +
      'Update the extension on the server, then run: alter extension vector update;',
  );
}

/** Installs pg_trgm if possible; returns whether it is installed. */
export async function ensureTrigram(sql: Sql): Promise<boolean> {
  if ((await installedVersion(sql, 'pg_trgm')) !== undefined) return true;
  try {
    await sql.query('create extension if not exists pg_trgm');
    return true;
  } catch (error) {
    // Not on the server, or this role may not create it: everything works without it, only slower.
    if (isRefused(error)) return false;
    throw error;
  }
}

/** Warns about a pgvector with known defects. Once per start. */
export function warnAboutVector(logger: DatabaseLogger, vectorVersion: string): void {
  if (compareVersions(vectorVersion, SAFE_VECTOR_VERSION) >= 0) return;
  logger.warn(
    { vectorVersion, safeVersion: SAFE_VECTOR_VERSION },
    `pgvector ${vectorVersion} has known defects (CVE-2026-3172 and HNSW vacuum corruption): update the server to ${SAFE_VECTOR_VERSION} or newer`,
  );
}

/** The version of an extension in this database, or undefined. */
export async function installedVersion(sql: Sql, extension: string): Promise<string | undefined> {
  const row = await sql.maybeOne<{ version: string }>(
    'select extversion as version from pg_extension where extname = $1::text',
    [extension],
  );
  return row?.version;
}

/** Negative, zero or positive, as `a` is older than, equal to or newer than `b` (dotted numbers). */
export function compareVersions(a: string, b: string): number {
  const left = a.split('.').map(Number);
  const right = b.split('.').map(Number);
  for (let index = 0; index < Math.max(left.length, right.length); index += 1) {
    const difference = (left[index] ?? 0) - (right[index] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

async function createVector(sql: Sql): Promise<void> {
  try {
    await sql.query('create extension if not exists vector');
  } catch (error) {
    if (!isRefused(error)) throw error;
    throw new AppError(
      'config_invalid',
      sqlStateOf(error) === '42501'
        ? 'The database role may not create the pgvector extension. As a superuser, run in this database: create extension vector;'
        : 'The database server does not have the pgvector extension. Install it on the server (version 0.8.6 or newer).',
      { cause: error },
    );
  }
}

function isRefused(error: unknown): boolean {
  // 42501 not permitted; 58P01 (to 15) and 0A000 (from 16) no such extension on the server.
  return ['42501', '58P01', '0A000'].includes(sqlStateOf(error) ?? '');
}
