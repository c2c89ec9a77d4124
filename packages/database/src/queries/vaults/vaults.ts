import { AppError } from '@factmill/errors';
import type { Sql } from '../../pool/sql.ts';

/** A vault as one process holds it. */
export type VaultHold = Readonly<{ vaultId: string; tenantId: string; holder: string }>;

/**
 * Takes or extends the lease of a vault, which is registered when it is new. Null while another process holds it.
 * `isImported` says whether everything in its folder has been read before.
 */
export async function holdVault(
  sql: Sql,
  { vaultId, tenantId, holder }: VaultHold,
  leaseSeconds: number,
): Promise<Readonly<{ isImported: boolean }> | null> {
  const row = await sql.maybeOne<{ isImported: boolean }>(
    `insert into vaults as v (id, tenant_id, holder, leased_until)
     values ($1::uuid, $2::uuid, $3::uuid, now() + $4::integer * interval '1 second')
     on conflict (id, tenant_id) do update set holder = excluded.holder, leased_until = excluded.leased_until
       where v.holder is null or v.holder = excluded.holder or v.leased_until < now()
     returning imported_at is not null as "isImported"`,
    [vaultId, tenantId, holder, leaseSeconds],
    { name: 'hold_vault' },
  );
  return row ?? null;
}

/** Gives the lease back, so that another process need not wait until it runs out. */
export async function releaseVault(sql: Sql, { vaultId, tenantId, holder }: VaultHold): Promise<void> {
  await sql.query(
    `update vaults set holder = null, leased_until = null
     where id = $1::uuid and tenant_id = $2::uuid and holder = $3::uuid`,
    [vaultId, tenantId, holder],
  );
}

/**
 * Checks that this process still holds the vault, and keeps it so until the end of the transaction.
 *
 * @throws AppError `fenced` when another process has taken it
 */
export async function assertVaultHeld(tx: Sql, { vaultId, tenantId, holder }: VaultHold): Promise<void> {
  const row = await tx.maybeOne(
    `select 1 from vaults where id = $1::uuid and tenant_id = $2::uuid and holder = $3::uuid for share`,
    [vaultId, tenantId, holder],
    { name: 'assert_vault_held' },
  );
  if (row === undefined) throw new AppError('fenced', 'Another process has taken over this vault.');
}

/** Records that everything in the folder has been read. */
export async function markVaultImported(sql: Sql, { vaultId, tenantId }: VaultHold): Promise<void> {
  await sql.query(
    `update vaults set imported_at = now()
     where id = $1::uuid and tenant_id = $2::uuid and imported_at is null`,
    [vaultId, tenantId],
  );
}
