import type { Sql } from '@factmill/database';
import { createKept, type Kept, type KeptOptions, MOST_WRITTEN } from '../kept/kept.ts';
import { bytesOfVector, readSignTable, type SignTable, sizeOfTable } from './sign-table.ts';

/** Whose vectors, and of which model. */
export type VectorOwner = Readonly<{ tenantId: string; userId: string; model: string; dimensions: number }>;

export type KeptTable = Readonly<{
  table: SignTable;
  /** The oldest transaction that is not in the table, as xid8: what it and later ones wrote has to be looked for. */
  since: string;
  /** The file that the places are in: a table that is written anew (`vacuum full`) has all of them elsewhere. */
  file: number;
}>;

/**
 * The signs of the vectors of users that are searched, in the memory of this process: comparing them takes Postgres
 * ten times as long as this.
 */
export type KeptSigns = Kept<VectorOwner, KeptTable>;

export function createKeptSigns(options: KeptOptions): KeptSigns {
  return createKept<VectorOwner, KeptTable>({
    ...options,
    keyOf: ({ tenantId, userId, model }) => JSON.stringify([tenantId, userId, model]),
    read: readTable,
    sizeOf: ({ table }) => sizeOfTable(table),
  });
}

/**
 * Null for an owner with more vectors than are kept, and where a transaction that takes long has so much count as
 * written since that each search would find the table of no use.
 */
async function readTable(sql: Sql, owner: VectorOwner, mostBytes: number): Promise<KeptTable | null> {
  const { tenantId, userId, model, dimensions } = owner;
  const most = Math.floor(mostBytes / bytesOfVector(dimensions));
  const row = await sql.one<{
    since: string;
    file: number;
    count: number;
    written: number;
    signs: Uint8Array | null;
  }>(
    `select pg_snapshot_xmin(pg_current_snapshot())::text as since,
       pg_relation_filenode('memory_embeddings')::bigint as file, count(*)::integer as count,
       count(*) filter (where e.written >= pg_snapshot_xmin(pg_current_snapshot())
         and e.written < pg_snapshot_xmax(pg_current_snapshot()))::integer as written,
       string_agg(tidsend(e.ctid) || varbit_send(e.code), ''::bytea) as signs
     from (select e.ctid, e.code, e.written from memory_embeddings e
       where e.tenant_id = $1::uuid and e.user_id = $2::text and e.model = $3::text limit $4::integer + 1) as e`,
    [tenantId, userId, model, most],
    { name: 'read_signs' },
  );
  const { since, file, count, written, signs } = row;
  if (count > most || written > MOST_WRITTEN) return null;
  return { since, file, table: readSignTable(signs ?? new Uint8Array(), dimensions) };
}
