import type { Sql } from '../../pool/sql.ts';
import type { VaultHold } from './vaults.ts';

/** What file and memory agreed on last. */
export type VaultFile = Readonly<{
  memoryId: string;
  userId: string;
  /** From the vault's folder, with `/`. */
  path: string;
  /** Hex SHA-256 of the file; null before it is first written. */
  fileHash: string | null;
  /** Of the memory; 0 before the file is first written. */
  version: number;
  /** Whether the memory says something that the file does not show yet. */
  isStale: boolean;
  /** Hex SHA-256 of what is about to be written, and the version that it shows. */
  writingHash: string | null;
  writingVersion: number | null;
}>;

type VaultKey = Pick<VaultHold, 'vaultId' | 'tenantId'>;

const PAGE_SIZE = 5_000;

/** All files of a vault, page by page. */
export async function listVaultFiles(sql: Sql, { vaultId, tenantId }: VaultKey): Promise<VaultFile[]> {
  const files: VaultFile[] = [];
  let after = '00000000-0000-0000-0000-000000000000';
  for (;;) {
    const { rows } = await sql.query<VaultFile>(
      `select memory_id as "memoryId", user_id as "userId", path, file_hash as "fileHash", version,
         is_stale as "isStale", writing_hash as "writingHash", writing_version as "writingVersion"
       from vault_files where vault_id = $1::uuid and tenant_id = $2::uuid and memory_id > $3::uuid
       order by memory_id limit $4::integer`,
      [vaultId, tenantId, after, PAGE_SIZE],
      { name: 'list_vault_files' },
    );
    files.push(...rows);
    if (rows.length < PAGE_SIZE) return files;
    after = rows.at(-1)?.memoryId ?? after;
  }
}

/** Stores what file and memory agree on, for several at once. */
export async function saveVaultFiles(
  sql: Sql,
  { vaultId, tenantId }: VaultKey,
  files: readonly VaultFile[],
): Promise<void> {
  if (files.length === 0) return;
  await sql.query(
    `insert into vault_files (vault_id, tenant_id, memory_id, user_id, path, file_hash, version, is_stale,
       writing_hash, writing_version)
     select $1::uuid, $2::uuid, f."memoryId", f."userId", f.path, f."fileHash", f.version, f."isStale",
       f."writingHash", f."writingVersion"
     from jsonb_to_recordset($3::jsonb) as f ("memoryId" uuid, "userId" text, path text, "fileHash" text,
       version integer, "isStale" boolean, "writingHash" text, "writingVersion" integer)
     on conflict (vault_id, memory_id, tenant_id) do update set user_id = excluded.user_id, path = excluded.path,
       file_hash = excluded.file_hash, version = excluded.version, is_stale = excluded.is_stale,
       writing_hash = excluded.writing_hash, writing_version = excluded.writing_version`,
    [vaultId, tenantId, JSON.stringify(files)],
    { name: 'save_vault_files' },
  );
}

/** Forgets files that are gone together with their memories. */
export async function deleteVaultFiles(
  sql: Sql,
  { vaultId, tenantId }: VaultKey,
  memoryIds: readonly string[],
): Promise<void> {
  if (memoryIds.length === 0) return;
  await sql.query(
    `delete from vault_files where vault_id = $1::uuid and tenant_id = $2::uuid and memory_id = any($3::uuid[])`,
    [vaultId, tenantId, memoryIds],
    { name: 'delete_vault_files' },
  );
}
