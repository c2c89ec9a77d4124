import type { Sql } from '@factmill/database';
import { memoriesOf, type SearchTarget } from '../target.ts';
import { compareDirectly } from './compare-directly.ts';
import { compareFew } from './compare-few.ts';
import { compareKept } from './compare-kept.ts';
import { inOrder, type VectorRow } from './compared.ts';
import type { KeptSigns } from './kept-signs.ts';
import { ownerOf, valuesOf } from './owner.ts';

export type VectorSearch = SearchTarget &
  Readonly<{
    /** Id in `embedding_models`, with its size. */
    model: string;
    dimensions: number;
    vector: readonly number[];
    /** Cosine; memories below it are left out. */
    minSimilarity: number;
    limit: number;
  }>;

export type UserVectorSearch = VectorSearch & Readonly<{ userId: string }>;

/** Up to so many vectors of a user are compared one by one: more quickly than by signs. */
const ALWAYS_EXACT = 1_000;
/** The signs of users with more vectors than this are worth keeping. */
const FEW = 300;
/** For an exact search of a user of any size. */
const NO_LIMIT = 2_000_000_000;
/** Fewer signs than this tell too little. */
const LEAST_SIGNS = 128;

/**
 * The user's visible memories nearest to the vector, nearest first, then by id. Complete inside the user: the few
 * vectors of a small user are compared one by one; of the thousands of a larger one those that are nearest by their
 * signs. Where signs tell too little, and with filters, all are compared. Of all users the nearest by signs are the answer.
 *
 * @param kept where the signs of users that are searched again are kept; without it Postgres compares them
 */
export async function searchByVector(sql: Sql, search: VectorSearch, kept?: KeptSigns): Promise<VectorRow[]> {
  if (search.asOf !== undefined) return searchAsOf(sql, search);
  const { isFiltered } = memoriesOf(search, 1);
  if (isFiltered || search.dimensions < LEAST_SIGNS) return compareAll(sql, search);

  const ofUser = kept !== undefined && isOfUser(search) ? { kept, search } : undefined;
  const quickly =
    ofUser &&
    ((await searchKept(sql, ofUser.search, ofUser.kept)) ?? (await compareFew(sql, ofUser.search, FEW)));
  if (quickly) return quickly;

  const found = await compareDirectly(sql, search, ALWAYS_EXACT);
  if (ofUser && found.vectors > FEW) ofUser.kept.miss(sql, ofUser.search);
  return found.isSafe ? found.rows : compareAll(sql, search);
}

function isOfUser(search: VectorSearch): search is UserVectorSearch {
  return search.userId !== null;
}

/** Undefined without a table that helps. */
async function searchKept(
  sql: Sql,
  search: UserVectorSearch,
  kept: KeptSigns,
): Promise<VectorRow[] | undefined> {
  const table = kept.of(search);
  if (table === undefined) return undefined;
  const found = await compareKept(sql, search, table);
  if (found === null) {
    kept.forget(search);
    return undefined;
  }
  return found.isSafe ? found.rows : compareAll(sql, search);
}

async function compareAll(sql: Sql, search: VectorSearch): Promise<VectorRow[]> {
  return (await compareDirectly(sql, search, NO_LIMIT)).rows;
}

/**
 * The memories as they were, those whose vector still is of the same text. The vectors are compared one by one, then
 * the memories are looked up in that order until there are enough.
 */
async function searchAsOf(sql: Sql, search: VectorSearch): Promise<VectorRow[]> {
  const source = memoriesOf(search, 7);
  const { rows } = await sql.query<VectorRow>(
    `with near as materialized (
       select e.memory_id, e.content_hash, (e.embedding <=> $4::halfvec) + 0 as distance from memory_embeddings e
       where ${ownerOf(search)} and e.model = $3::text
     )
     ${inOrder(source, 'm.content_hash = near.content_hash')}`,
    [...valuesOf(search), ...source.values],
  );
  return rows;
}
