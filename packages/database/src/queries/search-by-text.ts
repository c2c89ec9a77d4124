import type { Sql } from '../pool/sql.ts';
import { escapeLike } from './memories.ts';
import { candidateColumns, type CandidateRow } from './memory-rows.ts';
import { type MemorySource, memoriesOf, type SearchTarget } from './search-filters.ts';

export type TextSearch = SearchTarget &
  Readonly<{
    /** Looked for as a whole; null: only the terms are. */
    phrase: string | null;
    /** Looked for one by one; one of them has to be there, or the phrase. May be empty. */
    terms: readonly string[];
    limit: number;
  }>;

/** `textScore` is 1 for the whole phrase, else the share of the terms, rare ones counting more, up to 0.9. */
export type TextRow = CandidateRow & Readonly<{ textScore: number }>;

/**
 * The user's visible memories whose content, key, value or category contains the phrase or one of the terms,
 * whatever the case. Best first: the phrase, then more and rarer terms, then importance and confidence, then the
 * newest statement. Complete inside the user, for terms of any length, with and without pg_trgm.
 */
export async function searchByText(sql: Sql, search: TextSearch): Promise<TextRow[]> {
  const { phrase, terms } = search;
  if (phrase === null && terms.length === 0) return [];
  const patterns = [...terms, ...(phrase === null ? [] : [phrase])].map((text) => `%${escapeLike(text)}%`);
  const source = memoriesOf(search, 5);
  // Not prepared by name: the plan depends on how common the patterns are.
  const { rows } = await sql.query<TextRow>(textStatement(terms.length, phrase !== null, source), [
    search.tenantId,
    search.userId,
    patterns,
    search.limit,
    ...source.values,
  ]);
  return rows;
}

/**
 * One statement: find (by memories_user_idx, combined with memories_search_text_trgm where the planner finds the
 * patterns rare enough), weigh the terms by how few of the found memories have them, rank, and read the wide
 * columns of the best only.
 */
function textStatement(termCount: number, hasPhrase: boolean, source: MemorySource): string {
  const terms = Array.from({ length: termCount }, (_, index) => index + 1);
  const share =
    termCount === 0
      ? '0'
      : `(${terms.map((n) => `has_${n}::integer * weight_${n}`).join(' + ')})
         / (${terms.map((n) => `weight_${n}`).join(' + ')})`;
  const weights = terms.map(
    (n) => `, ln(1 + count(*)::float8 / greatest(count(*) filter (where has_${n}), 1)) as weight_${n}`,
  );
  // Folded by Postgres, as the column is; constants to the planner.
  const pattern = (n: number) => `lower(($3::text[])[${n}])`;
  const whole = hasPhrase ? [termCount + 1] : [];
  const anyPattern = `array[${[...terms, ...whole].map(pattern).join(', ')}]`;
  return `
    with hits as materialized (
      select m.id, m.importance, m.confidence, m.stated_at, ${hasPhrase ? `m.search_text like ${pattern(termCount + 1)}` : 'false'} as has_phrase
        ${terms.map((n) => `, m.search_text like ${pattern(n)} as has_${n}`).join('')}
      from ${source.relation} m
      where ${source.where('m')} and m.search_text like any(${anyPattern})
    ), weights as materialized (
      select count(*) as found ${weights.join('')} from hits
    ), best as (
      select h.id, h.importance * h.confidence as worth, h.stated_at,
        case when has_phrase then 1 else round((0.9 * ${share})::numeric, 6)::float8 end as score
      from hits h cross join weights
      order by score desc, worth desc, h.stated_at desc, h.id limit $4::integer
    )
    select ${candidateColumns('m')}, best.score::float8 as "textScore"
    from best join ${source.relation} m on m.id = best.id
    order by best.score desc, best.worth desc, best.stated_at desc, best.id`;
}
