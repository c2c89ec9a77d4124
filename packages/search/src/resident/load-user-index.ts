import { begun, listed, type Sql } from '@factmill/database';
import { facetsOf } from './facets.ts';
import { lexemeKey } from './lexemes.ts';
import { createIndexBuilder, type IndexPage, MAX_SPELT_MEMORIES, type UserIndex } from './user-index.ts';

export type UserKey = Readonly<{ tenantId: string; userId: string }>;

/** Rows written since the watermark: above this many, scanning them costs more than the index saves. */
export const MAX_DELTA = 200;

/** Memories of one statement: on embedded storage, where 500 take 80 ms, a statement holds up all others. */
const PAGE_SIZE = 100;
/** Of their texts in UTF-8: long ones are few in a page, because taking in a page is one turn of the event loop. */
const PAGE_BYTES = 128 * 1024;
/** What the parts of an index may take while it is put together. */
const MAX_BUILDING_BYTES = 64 * 1024 * 1024;
const FIRST_PAGE = { createdAt: 'infinity', id: 'ffffffff-ffff-ffff-ffff-ffffffffffff' };

export type LoadedIndex = Readonly<{
  index: UserIndex;
  bytes: number;
}>;

type PageRow = { watermark: string; model: string | null; count: number; delta: number; isLast: boolean } & {
  [part in keyof Omit<IndexPage, Texts>]: Buffer | null;
} & { [part in Texts]: IndexPage[part] | null } & { createdAt: string; id: string };
type Texts = 'facets' | 'lexemes' | 'texts';

/**
 * Loads what holds now of a user's memories, page by page. The watermark is that of the first page's snapshot, so that
 * what a later page already has may be newer, but nothing is missing. Null for a user whose index would take more
 * bytes, and while a long transaction makes so much count as written since that no search could use the index.
 */
export async function loadUserIndex(
  sql: Sql,
  { tenantId, userId }: UserKey,
  maxBytes: number,
): Promise<LoadedIndex | null> {
  const builder = createIndexBuilder();
  let after = FIRST_PAGE;
  let first: PageRow | undefined;
  let delta = 0;
  for (;;) {
    const page: PageRow = await sql.one<PageRow>(
      PAGE,
      [
        tenantId,
        userId,
        after.createdAt,
        after.id,
        PAGE_SIZE,
        first?.watermark ?? null,
        first?.model ?? null,
        builder.size() < MAX_SPELT_MEMORIES,
        PAGE_BYTES,
      ],
      { name: 'load_user_index' },
    );
    first ??= page;
    delta += page.delta;
    if (page.count > 0) builder.add(toIndexPage(page));
    const isTooLarge = builder.bytes() > maxBytes || builder.buildingBytes() > MAX_BUILDING_BYTES;
    if (isTooLarge || delta + builder.upcoming() > MAX_DELTA) return null;
    if (page.isLast || page.count === 0) break;
    after = page;
  }
  const { watermark, model } = first;
  return { index: await builder.build({ watermark, model }), bytes: builder.bytes() };
}

/**
 * The next memories of a user (memories_user_idx), with the codes of their vectors (memory_embeddings_pkey).
 *
 * $1 tenant, $2 user, $3 and $4 where the page before ended, $5 how many, $6 the watermark (null: of this snapshot),
 * $7 the model (null: the active one), $8 whether lexemes are wanted, $9 how many bytes of text.
 */
const PAGE = `
  with moment as materialized (
    select coalesce($6::xid8, pg_snapshot_xmin(pg_current_snapshot())) as watermark,
      pg_snapshot_xmax(pg_current_snapshot()) as next_xid,
      coalesce($7::text, (select id from embedding_models where state = 'active')) as model
  ), next as materialized (
    select m.id, m.created_at, m.valid_from, m.written, m.search_terms, m.search_text, ${begun('m')} as begun,
      ${facetsOf('m')} as facets,
      row_number() over (order by m.created_at desc, m.id desc) as row,
      sum(octet_length(m.search_text)) over (order by m.created_at desc, m.id desc)
        - octet_length(m.search_text) as bytes_before
    from memories m
    where m.tenant_id = $1::uuid and m.user_id = $2::text and ${listed('m')}
      and (m.created_at, m.id) < ($3::timestamptz, $4::uuid)
    order by m.created_at desc, m.id desc limit $5::integer
  ), page as materialized (
    select * from next where bytes_before < $9::integer
  ), current as materialized (
    select page.*, e.code, its.keys, its.lexemes,
      (page.written >= watermark and page.written < next_xid)
        or (e.written >= watermark and e.written < next_xid) as is_delta
    from page cross join moment
    cross join lateral (
      select string_agg(int8send(${lexemeKey('lexeme')}), ''::bytea) as keys,
        string_agg(lexeme, E'\\n') filter (where $8::boolean) as lexemes
      from unnest(tsvector_to_array(page.search_terms)) as lexeme
    ) as its
    left join lateral (
      select code, written from memory_embeddings e
      where e.memory_id = page.id and e.model = moment.model and e.tenant_id = $1::uuid offset 0
    ) as e on true
    where page.begun
  )
  select moment.watermark::text, moment.model, packed.*,
    (select count(*) from page)::integer as count,
    (select count(*) from next) < $5::integer
      and not exists (select from next where bytes_before >= $9::integer) as "isLast",
    (select string_agg(uuid_send(page.id), ''::bytea) from page where not begun) as upcoming,
    (select created_at::text from page order by row desc limit 1) as "createdAt",
    (select id from page order by row desc limit 1) as id
  from moment cross join (
    select count(*) filter (where is_delta)::integer as delta,
      json_agg(facets order by row) as facets,
      string_agg(uuid_send(id), ''::bytea order by row) as ids,
      string_agg(int4send(length(search_text)), ''::bytea order by row) as lengths,
      string_agg(float8send(1000 * extract(epoch from valid_from)::float8), ''::bytea order by row) as begins,
      string_agg(int4send(length(search_terms)), ''::bytea order by row) as "lexemeCounts",
      string_agg(keys, ''::bytea order by row) as keys,
      string_agg(lexemes, E'\\n' order by row) as lexemes,
      string_agg(search_text, E'\\n' order by row) as texts,
      string_agg(coalesce(varbit_send(code), int4send(0)), ''::bytea order by row) as codes
    from current
  ) as packed`;

function toIndexPage(row: PageRow): IndexPage {
  const none = Buffer.alloc(0);
  const { ids, lengths, begins, lexemeCounts, keys, codes, upcoming, facets, lexemes, texts } = row;
  return {
    ids: ids ?? none,
    lengths: lengths ?? none,
    begins: begins ?? none,
    lexemeCounts: lexemeCounts ?? none,
    keys: keys ?? none,
    codes: codes ?? none,
    upcoming: upcoming ?? none,
    facets: facets ?? [],
    lexemes: lexemes ?? '',
    texts: texts ?? '',
  };
}
