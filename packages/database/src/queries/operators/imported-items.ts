import type { Sql } from '../../pool/sql.ts';

/** Where items come from, and whose they become. */
export type ImportedFrom = Readonly<{ tenantId: string; userId: string; source: string }>;

/**
 * Takes the items that were never imported from this source for this user, in one transaction with their memories;
 * resolves to the hashes (hex) of those. An import of the same at the same time waits here.
 */
export async function takeImportedItems(
  tx: Sql,
  { tenantId, userId, source }: ImportedFrom,
  hashes: readonly string[],
): Promise<ReadonlySet<string>> {
  const { rows } = await tx.query<{ hash: string }>(
    `insert into imported_items (tenant_id, user_id, source, item_sha256)
     select $1::uuid, $2::text, $3::text, decode(hash, 'hex') from unnest($4::text[]) as g (hash)
     order by hash
     on conflict do nothing
     returning encode(item_sha256, 'hex') as hash`,
    [tenantId, userId, source, [...new Set(hashes)]],
  );
  return new Set(rows.map(({ hash }) => hash));
}

/** Writes down which memory holds each item. */
export async function noteImportedMemories(
  tx: Sql,
  { tenantId, userId, source }: ImportedFrom,
  items: readonly Readonly<{ hash: string; memoryId: string }>[],
): Promise<void> {
  await tx.query(
    `update imported_items i set memory_id = g.memory_id
     from unnest($4::text[], $5::uuid[]) as g (hash, memory_id)
     where i.tenant_id = $1::uuid and i.user_id = $2::text and i.source = $3::text
       and i.item_sha256 = decode(g.hash, 'hex')`,
    [tenantId, userId, source, items.map(({ hash }) => hash), items.map(({ memoryId }) => memoryId)],
  );
}

/** Whether no user of any tenant has a memory, in whatever state. Stops at the first row. */
export async function isStoreEmpty(sql: Sql): Promise<boolean> {
  const { empty } = await sql.one<{ empty: boolean }>('select not exists (select from memories) as empty');
  return empty;
}
