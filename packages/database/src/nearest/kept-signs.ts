import type { Sql } from '../pool/sql.ts';
import { bytesOfVector, readSignTable, sizeOfTable, type SignTable } from './sign-table.ts';

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
 * ten times as long as this. What was written since a table was read is not in it: a search asks for that beside it,
 * so that no table has to be told of a change.
 */
export type KeptSigns = Readonly<{
  /** The table of an owner, when there is one. */
  of: (owner: VectorOwner) => KeptTable | undefined;
  /** Says that an owner with many vectors was searched without a table. The second time it is read, behind the scenes. */
  miss: (sql: Sql, owner: VectorOwner) => void;
  /** Forgets a table that too much was written since. It is read again when the owner is searched again. */
  forget: (owner: VectorOwner) => void;
  /** Resolves when what is being read has been read. */
  settled: () => Promise<void>;
}>;

/** Of all tables: a million vectors of 384 components. */
const MOST_BYTES = 64 * 1024 * 1024;
/** Of that, one owner's: 155,000 vectors of 384 components, 42,000 of 1,536. */
const MOST_OF_ONE = 1 / 8;
/**
 * A table is read again after so long: a server that was set back (restored, or a replica that lacked something when it
 * took over) may count its transactions from before what the table has seen.
 */
const MOST_AGE_MS = 10 * 60_000;
/** A table that more vectors were written since is of no use: they are compared one by one beside it. */
export const MOST_WRITTEN = 200;
/** Owners that were searched once are remembered, so many of them. */
const MOST_SEEN = 10_000;

export type KeptSignsOptions = Readonly<{
  /** Milliseconds, of a clock that only goes forward. */
  now: () => number;
  /** Default 64 MiB. */
  mostBytes?: number;
}>;

export function createKeptSigns({ now, mostBytes = MOST_BYTES }: KeptSignsOptions): KeptSigns {
  // Both in the order of their use. No table: it would be of no use.
  const tables = new Map<string, Readonly<{ kept: KeptTable | null; readAt: number }>>();
  const seen = new Set<string>();
  const reading = new Map<string, Promise<void>>();
  let bytes = 0;

  function remove(key: string): void {
    bytes -= sizeOf(tables.get(key)?.kept);
    tables.delete(key);
  }

  const isOld = ({ readAt }: Readonly<{ readAt: number }>) => now() - readAt > MOST_AGE_MS;

  /** Nothing depends on it: where the database cannot be asked, the searches themselves say so. */
  async function read(sql: Sql, key: string, owner: VectorOwner): Promise<void> {
    const readAt = now();
    try {
      const kept = await readTable(sql, owner, mostBytes * MOST_OF_ONE);
      remove(key);
      tables.set(key, { kept, readAt });
      bytes += sizeOf(kept);
      for (const [oldest, entry] of tables) if (bytes > mostBytes || isOld(entry)) remove(oldest);
    } catch {
      // Read at the next search.
    } finally {
      reading.delete(key);
    }
  }

  return {
    of(owner) {
      const key = keyOf(owner);
      const entry = tables.get(key);
      if (entry === undefined) return undefined;
      if (isOld(entry)) {
        remove(key);
        return undefined;
      }
      tables.delete(key);
      tables.set(key, entry);
      return entry.kept ?? undefined;
    },
    miss(sql, owner) {
      const key = keyOf(owner);
      const isKnown = seen.delete(key);
      seen.add(key);
      for (const first of seen) {
        if (seen.size <= MOST_SEEN) break;
        seen.delete(first);
      }
      if (!isKnown || reading.has(key) || tables.has(key)) return;
      reading.set(key, read(sql, key, owner));
    },
    forget: (owner) => {
      remove(keyOf(owner));
    },
    settled: async () => {
      await Promise.all(reading.values());
    },
  };
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

function sizeOf(kept: KeptTable | null | undefined): number {
  return kept ? sizeOfTable(kept.table) : 0;
}

function keyOf({ tenantId, userId, model }: VectorOwner): string {
  return JSON.stringify([tenantId, userId, model]);
}
