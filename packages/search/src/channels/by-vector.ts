import type { Sql } from '@factmill/database';
import { memoriesOf, type MemorySource, type SearchTarget } from '../target.ts';
import type { Channel } from './channel.ts';
import {
  mayLackNearest,
  MIN_CODE_BITS,
  nearestVisible,
  type VectorRow,
  type VectorSearch,
  vectorValues,
} from './nearest.ts';

/** Up to so many vectors an exact scan takes less time than bit codes do. */
const MAX_EXACT = 1_000;
/** For an exact scan of any size. */
const NO_LIMIT = 2_000_000_000;
/** Vectors of a user that bit codes choose for the exact comparison: at least, and for each result. */
const MIN_SHORTLIST = 300;
const SHORTLIST_PER_RESULT = 3;
/** Of all users. */
const SHORTLIST_OF_ALL = 1_000;

/** A fused search ranks what is below the cutoff too: it may be found otherwise. */
export const vectorChannel: Channel = async ({ settings, first }) => {
  const rows = await first.vector();
  const weak = settings.mode === 'fused' ? await first.belowCutoff() : [];
  return [...rows, ...weak].map((row) => ({ row, value: row.similarity }));
};

/**
 * The visible memories nearest to the vector, nearest first, then by id. Complete inside a user: an exact scan up to
 * 1,000 vectors; of more the nearest by bit codes, and where that may miss one, and with filters, an exact scan after
 * all. Of all users the nearest by bit codes are the answer.
 */
export async function searchByVector(sql: Sql, search: VectorSearch): Promise<VectorRow[]> {
  if (search.asOf !== undefined) return searchAsOf(sql, search);
  const { isFiltered } = memoriesOf(search, 1);
  if (isFiltered || search.dimensions < MIN_CODE_BITS) return searchExactly(sql, search);
  return (await scan(sql, search, MAX_EXACT)) ?? searchExactly(sql, search);
}

/** As `searchByVector`, by an exact scan however many vectors there are. */
export async function searchExactly(sql: Sql, search: VectorSearch): Promise<VectorRow[]> {
  return (await scan(sql, search, NO_LIMIT)) ?? [];
}

/** A memory, or none where nothing was found, beside what was compared. */
type ScanRow = (VectorRow | { id: null }) & { maxHamming: number | null; farthest: number | null };

/**
 * One statement for owners of any size. Null when bit codes were compared and may have missed a memory.
 *
 * @param maxExact up to so many vectors are compared exactly
 */
async function scan(sql: Sql, search: VectorSearch, maxExact: number): Promise<VectorRow[] | null> {
  const source = memoriesOf(search, 9, { anyUser: true });
  const { rows } = await sql.query<ScanRow>(
    scanStatement(search, source),
    [
      ...vectorValues(search),
      maxExact,
      Math.max(
        search.userId === null ? SHORTLIST_OF_ALL : MIN_SHORTLIST,
        SHORTLIST_PER_RESULT * search.limit,
      ),
      ...source.values,
    ],
    { name: `search_vector${source.variant}` },
  );
  const nearest = rows.filter((row): row is ScanRow & VectorRow => row.id !== null);
  const { maxHamming = null, farthest = null } = rows[0] ?? {};
  const isShortlist = maxHamming !== null;
  return isShortlist && mayLackNearest(search, nearest, { maxHamming, farthest }) ? null : nearest;
}

/**
 * Distances to all of the owner's vectors, or to those nearest by their bit codes, then the memories in that order
 * until the limit is reached; all from memory_embeddings_near_idx. `offset 0` keeps the planner from rearranging:
 * without it a filter on memories is checked for every vector. With filters the memories that pass are read first: to
 * look up each memory of thousands costs more than its distance. The query's code is computed once, in a subquery.
 */
const scanStatement = (search: SearchTarget, source: MemorySource) => `
  with owned as materialized (
    select count(*) > $7::bigint as "byCodes" from (
      select 1 from memory_embeddings e where ${ownedBy(search)} and e.model = $3::text
      limit $7::bigint + 1) as first_ones
  )${source.isFiltered ? `, passing as materialized (select m.id from memories m where ${source.where('m')})` : ''},
  near as materialized (
    select e.memory_id as id, (e.embedding <=> $4::halfvec) + 0 as distance, null::float8 as hamming
    from owned cross join lateral (
      select * from memory_embeddings e where ${ownedBy(search)} and e.model = $3::text and not owned."byCodes"
        ${source.isFiltered ? 'and (e.memory_id in (select id from passing)) is true' : ''} offset 0) as e
    union all
    select e.memory_id, (e.embedding <=> $4::halfvec) + 0, shortlist.hamming
    from owned cross join lateral (
      select e.memory_id, e.code <~> (select binary_quantize($4::halfvec)) as hamming
      from memory_embeddings e where ${ownedBy(search)} and e.model = $3::text and owned."byCodes"
      order by hamming limit $8::integer
    ) as shortlist cross join lateral (
      select * from memory_embeddings e
      where e.memory_id = shortlist.memory_id and e.model = $3::text and e.tenant_id = $1::uuid offset 0) as e
  )
  select compared.*, hits.*
  from (select max(near.hamming) as "maxHamming", max(near.distance) as farthest from near) as compared
  left join lateral (${nearestVisible(source)}) as hits on true`;

/** The memories as they were, those whose vector still is of the same text: an exact scan. */
async function searchAsOf(sql: Sql, search: VectorSearch): Promise<VectorRow[]> {
  const source = memoriesOf(search, 7);
  const { rows } = await sql.query<VectorRow>(
    `with near as materialized (
       select e.memory_id as id, e.content_hash, (e.embedding <=> $4::halfvec) + 0 as distance
       from memory_embeddings e where ${ownedBy(search)} and e.model = $3::text
     )
     ${nearestVisible(source, { condition: 'm.content_hash = near.content_hash' })}`,
    [...vectorValues(search), ...source.values],
  );
  return rows;
}

/** The vectors of one user, or of the whole tenant. */
function ownedBy({ userId }: SearchTarget): string {
  return `e.tenant_id = $1::uuid and ${userId === null ? '$2::text is null' : 'e.user_id = $2::text'}`;
}
