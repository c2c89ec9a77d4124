import type { Sql } from '../pool/sql.ts';
import { candidateColumns, type CandidateRow } from './memory-rows.ts';
import { type MemorySource, memoriesOf, type SearchTarget } from './search-filters.ts';

export type WordSearch = SearchTarget &
  Readonly<{
    /** Looked for one by one; at least one has to be there. */
    terms: readonly string[];
    limit: number;
  }>;

/** `wordScore` is above 0 and comparable within one search only. */
export type WordRow = CandidateRow & Readonly<{ wordScore: number }>;

export type WordHits = Readonly<{
  rows: WordRow[];
  /** Of the terms, those that no memory has: misspelt, cut short, or of a script that full text cannot take apart. */
  unknownTerms: string[];
}>;

/** BM25's usual constants. How often a memory repeats a word is left out: memories are a sentence or two. */
const SATURATION = 1.2;
const LENGTH = 0.5;

/**
 * The user's visible memories with at least one of the words, in any of its forms, best first, then by id: BM25 with
 * the frequencies of the words among the memories found, so that what is rare in this user's memory counts most.
 * Complete inside the user.
 */
export async function searchByWords(sql: Sql, search: WordSearch): Promise<WordHits> {
  if (search.terms.length === 0) return { rows: [], unknownTerms: [] };
  const source = memoriesOf(search, 5);
  // Not prepared by name: the plan depends on how common the words are.
  const { rows } = await sql.query<(WordRow | { id: null }) & { frequencies: number[] }>(
    wordStatement(search.terms.length, source),
    [search.tenantId, search.userId, search.terms, search.limit, ...source.values],
  );
  const frequencies = rows[0]?.frequencies ?? [];
  return {
    rows: rows.filter((row): row is WordRow & { frequencies: number[] } => row.id !== null),
    unknownTerms: search.terms.filter((_, index) => frequencies[index] === 0),
  };
}

/**
 * One statement: find (by an index of the user's, combined with memories_search_terms_idx where the planner finds the
 * words rare enough), count how many have each word, weigh, and read the wide columns of the best only. One row
 * without a memory brings the counts when nothing is found; a function word counts as known (-1).
 */
function wordStatement(termCount: number, source: MemorySource): string {
  const terms = Array.from({ length: termCount }, (_, index) => index + 1);
  const query = (n: number) => `search_query(($3::text[])[${n}])`;
  const list = (of: (n: number) => string, separator: string) => terms.map(of).join(separator);
  return `
    with hits as materialized (
      select m.id, length(m.search_text)::float8 as size,
        ${list((n) => `m.search_terms @@ ${query(n)} as has_${n}`, ', ')}
      from ${source.relation} m
      where ${source.where('m')} and m.search_terms @@ (${list(query, ' || ')})
    ), counts as materialized (
      select count(*)::float8 as found, avg(size) as size,
        ${list((n) => `count(*) filter (where has_${n})::float8 as with_${n}`, ', ')}
      from hits
    ), weights as materialized (
      select size, ${list((n) => `ln(1::float8 + (found - with_${n} + 0.5::float8) / (with_${n} + 0.5::float8)) as weight_${n}`, ', ')},
        array[${list((n) => `case when numnode(${query(n)}) = 0 then -1 else with_${n}::integer end`, ', ')}]
          as frequencies
      from counts
    ), best as (
      select h.id, (${list((n) => `case when has_${n} then weight_${n} else 0 end`, ' + ')})
          / (${1 - LENGTH + 1 / SATURATION}::float8 + ${LENGTH}::float8 * h.size / w.size) as score
      from hits h cross join weights w
      order by score desc, h.id limit $4::integer
    )
    select found.*, weights.frequencies
    from weights left join lateral (
      select ${candidateColumns('m')}, best.score as "wordScore"
      from best join ${source.relation} m on m.id = best.id
    ) as found on true
    order by found."wordScore" desc, found.id`;
}
