import type { SearchFilters } from '@factmill/contracts';
import type { Sql } from '../pool/sql.ts';
import { escapeLike } from './memories.ts';
import { memoryColumns, type MemoryRow } from './memory-rows.ts';
import { filterValues, searchable } from './search-filters.ts';

export type TextSearch = Readonly<{
  tenantId: string;
  userId: string;
  /** Looked for as a whole. */
  phrase: string;
  /** Looked for one by one; at least one has to be there. May be empty. */
  terms: readonly string[];
  filters: SearchFilters;
  limit: number;
}>;

/** `textScore` is 1 for the whole phrase, else the share of the terms, rare ones counting more, up to 0.9. */
export type TextRow = MemoryRow & Readonly<{ textScore: number }>;

/**
 * Up to this many memories of a user are read one by one; beyond it the trigram indexes are quicker, if there are
 * any. Measured with 5 patterns: 11 ms for 5,000 memories read, 5 to 30 ms (of that 3 to 8 planning) by trigrams.
 */
const SCAN_LIMIT = 5_000;

/**
 * The user's visible memories whose content, key, value or category contains the phrase or one of the terms,
 * whatever the case. Best first: the phrase, then more and rarer terms, then importance and confidence, then the
 * newest statement. Complete inside the user, for terms of any length, with and without pg_trgm.
 */
export async function searchByText(sql: Sql, search: TextSearch): Promise<TextRow[]> {
  const patterns = [search.phrase, ...search.terms].map((text) => `%${escapeLike(text)}%`);
  const values = [search.tenantId, search.userId, patterns, search.limit, ...filterValues(search.filters)];
  const count = search.terms.length;
  const scan = await sql.query<ScanRow>(textStatement(SCANNED, count), values, {
    name: `search_text_scan_${count}`,
  });
  if (scan.rows[0]?.scanned !== false) {
    return scan.rows.filter((row): row is TextRow & { scanned: boolean } => row.id !== null);
  }
  // Not prepared by name: the plan depends on how common the patterns are.
  const indexed = await sql.query<TextRow & { scanned: boolean }>(textStatement(INDEXED, count), values);
  return indexed.rows.filter((row) => row.id !== null);
}

type ScanRow = (TextRow | { id: null }) & { scanned: boolean };

/** What a memory is searched in. A line feed keeps a pattern from matching across two columns. */
const HAYSTACK = `lower(m.content || e'\\n' || coalesce(m.key, '') || e'\\n' || coalesce(m.value, '')
  || e'\\n' || m.category)`;

/**
 * ILIKE would fold the case of each text anew for every pattern; here it is done once per memory
 * (memories_user_idx). `offset 0` keeps the planner from moving the expression into its every use. Used for large
 * users too when a pattern is too short to have a trigram.
 */
const SCANNED = {
  method: `(select count(*) from (
      select 1 from memories m where m.tenant_id = $1::uuid and m.user_id = $2::text and m.is_current
      limit ${SCAN_LIMIT} + 1) as counted) <= ${SCAN_LIMIT}
    or not exists (select 1 from pg_extension where extname = 'pg_trgm')
    or (select min(length(p)) from unnest($3::text[]) as p) < 3 + length('%%')`,
  candidates: `
    select * from (
      select m.id, m.importance, m.confidence, m.stated_at, ${HAYSTACK} as text
      from memories m where method.scanned and ${searchable('m', 5)} offset 0
    ) as owned where owned.text like any(method.patterns)`,
} as const;

/** memories_*_trgm, usually combined with memories_user_idx. */
const INDEXED = {
  method: 'true',
  candidates: `
    select m.id, m.importance, m.confidence, m.stated_at, ${HAYSTACK} as text
    from memories m where ${searchable('m', 5)} and (m.content ilike any($3::text[])
      or m.key ilike any($3::text[]) or m.value ilike any($3::text[]) or m.category ilike any($3::text[]))`,
} as const;

/**
 * One statement: find, weigh the terms by how few of the found memories have them, rank, and read the wide
 * columns of the best only. When nothing is found there is one row without a memory.
 */
function textStatement(source: typeof SCANNED | typeof INDEXED, termCount: number): string {
  const terms = Array.from({ length: termCount }, (_, index) => index + 1);
  const share =
    termCount === 0
      ? '0'
      : `(${terms.map((n) => `has_${n}::integer * weight_${n}`).join(' + ')})
         / (${terms.map((n) => `weight_${n}`).join(' + ')})`;
  const weights = terms.map(
    (n) => `, ln(1 + count(*)::float8 / greatest(count(*) filter (where has_${n}), 1)) as weight_${n}`,
  );
  return `
    with method as (
      select ${source.method} as scanned,
        array(select lower(p) from unnest($3::text[]) with ordinality as u (p, n) order by n) as patterns
    ), hits as materialized (
      select c.id, c.importance, c.confidence, c.stated_at, c.text like method.patterns[1] as has_phrase
        ${terms.map((n) => `, c.text like method.patterns[${n + 1}] as has_${n}`).join('')}
      from method cross join lateral (${source.candidates}) as c
    ), weights as materialized (
      select count(*) as found ${weights.join('')} from hits
    ), best as (
      select h.id, h.importance * h.confidence as worth, h.stated_at,
        case when has_phrase then 1 else round((0.9 * ${share})::numeric, 6)::float8 end as score
      from hits h cross join weights
      order by score desc, worth desc, h.stated_at desc, h.id limit $4::integer
    )
    select method.scanned, ${memoryColumns('m')}, best.score::float8 as "textScore"
    from method left join (best join memories m on m.id = best.id) on true
    order by best.score desc, best.worth desc, best.stated_at desc, best.id`;
}
