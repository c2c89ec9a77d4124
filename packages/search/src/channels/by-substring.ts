import { candidateColumns, type CandidateRow, containing, type Sql } from '@factmill/database';
import { queryPhrase } from '@factmill/ranking';
import { memoriesOf, type MemorySource, type SearchTarget } from '../target.ts';
import type { Channel } from './channel.ts';
import type { Vocabulary } from './full-text-hits.ts';

export type SubstringSearch = SearchTarget &
  Readonly<{
    /** Looked for as a whole; null: only the terms are. */
    phrase: string | null;
    /** Looked for one by one; one of them has to be there, or the phrase. May be empty. */
    terms: readonly string[];
    limit: number;
    /** The only memories that may be among them, where they are few and known. */
    among?: readonly string[] | null;
  }>;

/** `textScore` is 1 for the whole phrase, else the share of the terms, rare ones counting more, up to 0.9. */
export type SubstringRow = CandidateRow & Readonly<{ textScore: number }>;

/** A shorter word is in too many others (`art` in `party`) to be looked for in them beside terms that are known. */
const MIN_PART_CHARACTERS = 4;
/** Of users with up to so many memories all texts are read, by a statement that keeps its plan. */
const MAX_SCANNED = 200;

/** Substrings, for what vectors (source D) or full text leave open. */
export const substringChannel: Channel = async ({
  database,
  target,
  request,
  settings,
  terms,
  limit,
  first,
}) => {
  const find = async (some: readonly string[], asPhrase: boolean, vocabulary?: Vocabulary) => {
    const phrase = asPhrase ? queryPhrase(request.query) : null;
    const parts = phrase === null ? some : [...some, phrase];
    if (vocabulary !== undefined && !parts.some(vocabulary.mayContain)) return [];
    const among = vocabulary?.among ?? null;
    const rows = await searchBySubstring(database, { ...target, phrase, terms: some, limit, among });
    return rows.map((row) => ({ row, value: row.textScore }));
  };
  if (settings.mode === 'vector' && (await first.vector().catch(() => [])).length >= limit) return null;
  if (!settings.channels.has('text')) return find(terms, true);
  const text = await first.fullText().catch(() => null);
  if (text === null) return null;
  // Whole words are of no help: parts of them may be.
  if (text.rows.length === 0 || text.unknownTerms.length === terms.length) {
    return find(text.unknownTerms, true, text.vocabulary);
  }
  // A memory that has the whole query has each of its words, of which some are known.
  const parts = text.unknownTerms.filter((term) => term.length >= MIN_PART_CHARACTERS);
  return parts.length === 0 ? null : find(parts, false, text.vocabulary);
};

/**
 * The user's visible memories whose content, key, value or category contains the phrase or one of the terms,
 * whatever the case. Best first: the phrase, then more and rarer terms, then importance and confidence, then the
 * newest statement. Complete inside the user, for terms of any length, with and without pg_trgm.
 */
export async function searchBySubstring(sql: Sql, search: SubstringSearch): Promise<SubstringRow[]> {
  const { phrase, terms, among = null } = search;
  if ((phrase === null && terms.length === 0) || among?.length === 0) return [];
  const patterns = [...terms, ...(phrase === null ? [] : [phrase])].map(containing);
  const values = [search.tenantId, search.userId, patterns, search.limit];
  if (among !== null) return searchAmong(sql, search, values, among);
  if (search.userId !== null && search.asOf === undefined) {
    const source = memoriesOf(search, 5, { anyUser: true });
    const { rows } = await sql.query<(SubstringRow | { id: null }) & { isLarge: boolean }>(
      ofSmallUser(terms.length, phrase !== null, source),
      [...values, ...source.values],
      { name: `search_text_${terms.length}${phrase === null ? '' : 'P'}${source.variant}` },
    );
    if (rows[0]?.isLarge !== true)
      return rows.filter((row): row is typeof row & SubstringRow => row.id !== null);
  }
  const source = memoriesOf(search, 5);
  const { rows } = await sql.query<SubstringRow>(
    `with ${matches(terms.length, phrase !== null, `${likeOne(search, source)} m where ${source.where('m')}`)}
     select found.* from (${best(source)}) as found ${ORDER}`,
    [...values, ...source.values],
  );
  return rows;
}

/** Of a few memories all texts are read, by their ids (memories_pkey). */
async function searchAmong(
  sql: Sql,
  search: SubstringSearch,
  values: readonly unknown[],
  among: readonly string[],
): Promise<SubstringRow[]> {
  const { phrase, terms } = search;
  const source = memoriesOf(search, 6, { anyUser: true });
  const few = `(select * from memories where id = any($5::uuid[]) offset 0) as m where ${source.where('m')}`;
  const { rows } = await sql.query<SubstringRow>(
    `with ${matches(terms.length, phrase !== null, few)}
     select found.* from (${best(source)}) as found ${ORDER}`,
    [...values, among, ...source.values],
    { name: `search_among_${terms.length}${phrase === null ? '' : 'P'}${source.variant}` },
  );
  return rows;
}

/**
 * The memories that have one of the patterns (by memories_user_idx, combined with memories_search_text_trgm where the
 * planner finds the patterns rare enough).
 */
function likeOne({ asOf }: SearchTarget, { byId, relation }: MemorySource): string {
  if (asOf !== undefined) return relation;
  return `(
    select m.* from memories_like($1::uuid, $2::text, array(
      select lower(pattern) from unnest($3::text[]) as pattern)) as found (id)
    cross join lateral ${byId('found.id')} as m)`;
}

/** One row without a memory says that nothing was found, or that the user has too much. */
function ofSmallUser(termCount: number, hasPhrase: boolean, source: MemorySource): string {
  return `
    with size as materialized (
      select count(*) > ${MAX_SCANNED} as is_large from (
        select from memories o where o.tenant_id = $1::uuid and o.user_id = (select $2::text) and o.is_current
        limit ${MAX_SCANNED + 1}) as first_ones
    ), ${matches(
      termCount,
      hasPhrase,
      `size cross join lateral (
        select * from memories m where not size.is_large and ${source.where('m')} offset 0) as m where true`,
    )}
    select size.is_large as "isLarge", found.*
    from size left join (${best(source)}) as found on true ${ORDER}`;
}

/**
 * What is found, and the best of it, with terms weighed by how few of the found memories have them.
 */
function matches(termCount: number, hasPhrase: boolean, source: string): string {
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
  return `hits as materialized (
      select m.id, m.importance, m.confidence, m.stated_at, ${hasPhrase ? `m.search_text like ${pattern(termCount + 1)}` : 'false'} as has_phrase
        ${terms.map((n) => `, m.search_text like ${pattern(n)} as has_${n}`).join('')}
      from ${source} and m.search_text like any(${anyPattern})
    ), weights as materialized (
      select count(*) as found ${weights.join('')} from hits
    ), best as (
      select h.id, h.importance * h.confidence as worth, h.stated_at,
        case when has_phrase then 1 else round((0.9 * ${share})::numeric, 6)::float8 end as score
      from hits h cross join weights
      order by score desc, worth desc, h.stated_at desc, h.id limit $4::integer
    )`;
}

/** The wide columns of the best only. */
const best = (source: MemorySource) => `
      select ${candidateColumns('m')}, best.score::float8 as "textScore", best.worth
      from best cross join lateral ${source.byId('best.id')} as m`;

const ORDER = 'order by found."textScore" desc, found.worth desc, found."statedAt" desc, found.id';
