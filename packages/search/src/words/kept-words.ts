import { begun, listed, type Sql, visible } from '@factmill/database';
import { createKept, type Kept, type KeptOptions, MOST_WRITTEN } from '../kept/kept.ts';
import { createLexemes, keyOf, type Lexemes } from './lexemes.ts';
import { type PackedWords, readWordTable, sizeOfWords, type WordTable } from './word-table.ts';

type WordOwner = Readonly<{ tenantId: string; userId: string }>;

export type KeptWordTable = Readonly<{
  table: WordTable;
  /** The names of the projects that the memories belong to. */
  projects: readonly string[];
  /** The oldest transaction that is not in the table, as xid8: what it and later ones wrote has to be looked for. */
  since: string;
  /** After so many milliseconds a memory begins that is not in the table; null: none does. */
  beginsInMs: number | null;
}>;

/**
 * The words of users that are searched, in the memory of this process: of a word that thousands of memories have,
 * Postgres would have to read all of them to say which are the best.
 */
export type KeptWords = Kept<WordOwner, KeptWordTable> & Readonly<{ lexemes: Lexemes }>;

/** A memory of few words takes no less. */
const LEAST_BYTES = 40;

export function createKeptWords(options: KeptOptions): KeptWords {
  const kept = createKept<WordOwner, KeptWordTable>({
    ...options,
    keyOf: ({ tenantId, userId }) => JSON.stringify([tenantId, userId]),
    read: readTable,
    maxAgeOf: ({ beginsInMs }) => beginsInMs ?? Infinity,
    sizeOf: ({ table, projects }) => sizeOfWords(table) + 2 * projects.join('').length,
  });
  return { ...kept, lexemes: createLexemes() };
}

type Row = {
  since: string;
  count: number;
  written: number;
  projects: string[];
  beginsInMs: number | null;
} & Record<keyof PackedWords, Buffer | null>;

/**
 * Null for an owner with more words than are kept, and where a transaction that takes long has so much count as written
 * since that each search would find the table of no use.
 */
async function readTable(
  sql: Sql,
  { tenantId, userId }: WordOwner,
  mostBytes: number,
): Promise<KeptWordTable | null> {
  const most = Math.floor(mostBytes / LEAST_BYTES);
  const { since, count, written, projects, beginsInMs, ...packed } = await sql.one<Row>(
    `with owned as materialized (
       select row_number() over (order by m.id) - 1 as row, m.*
       from (select m.id, length(m.search_text) as length, m.search_terms, m.project, m.written from memories m
         where m.tenant_id = $1::uuid and m.user_id = $2::text and ${visible('m')} limit $3::integer + 1) as m
     ), counted as materialized (
       select count(*)::integer as count, count(*) filter (
         where written >= pg_snapshot_xmin(pg_current_snapshot())
           and written < pg_snapshot_xmax(pg_current_snapshot()))::integer as written,
         coalesce(array_agg(distinct project) filter (where project is not null), '{}') as projects,
         string_agg(uuid_send(id), ''::bytea order by row) as ids,
         string_agg(int4send(length), ''::bytea order by row) as lengths
       from owned
     ), words as materialized (
       select ${keyOf('word')} as key, count(*)::integer as count,
         string_agg(int4send(row::integer), ''::bytea order by row) as rows
       from counted cross join owned cross join unnest(tsvector_to_array(search_terms)) as word
       where counted.count <= $3::integer and counted.written <= ${MOST_WRITTEN}
       group by 1
     )
     select pg_snapshot_xmin(pg_current_snapshot())::text as since, counted.*, packed.*, (
       select extract(epoch from min(m.valid_from) - now())::float8 * 1000 from memories m
       where m.tenant_id = $1::uuid and m.user_id = $2::text and ${listed('m')} and not ${begun('m')}
     ) as "beginsInMs"
     from counted cross join (
       select string_agg(int8send(key), ''::bytea order by key) as keys,
         string_agg(int4send(count), ''::bytea order by key) as counts,
         string_agg(rows, ''::bytea order by key) as rows
       from words
     ) as packed`,
    [tenantId, userId, most],
    { name: 'read_words' },
  );
  if (count > most || written > MOST_WRITTEN) return null;
  const none = Buffer.alloc(0);
  const table = readWordTable({
    ids: packed.ids ?? none,
    lengths: packed.lengths ?? none,
    keys: packed.keys ?? none,
    counts: packed.counts ?? none,
    rows: packed.rows ?? none,
  });
  return sizeOfWords(table) > mostBytes ? null : { since, table, projects, beginsInMs };
}
