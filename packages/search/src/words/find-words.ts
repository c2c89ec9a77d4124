import { candidateColumns, type Sql } from '@factmill/database';
import { projectsNamed } from '../channels/by-project.ts';
import { memoriesOf, type MemorySource, type SearchTarget } from '../target.ts';
import type { WordHits, WordRow, WordSearch } from './search-by-words.ts';
import { LENGTH, SATURATION } from './weigh-words.ts';

/** What memories_words_idx is of. */
export const WORD_KEYS = 'search_keys(tenant_id, user_id, search_terms)';
/** A query for the keys of the words of the terms in `$3`. */
export const KEYS_OF_TERMS = `
      select distinct search_key($1::uuid, $2::text, word) as key
      from unnest($3::text[]) as term cross join unnest(tsvector_to_array(search_words(term))) as word`;

/** As `searchByWords`, by what Postgres has of the words. */
export async function findWords(sql: Sql, search: WordSearch): Promise<WordHits> {
  const { terms } = search;
  const source = memoriesOf(search, 6, { anyUser: true });
  const { rows } = await sql.query<Row>(
    wordStatement(terms.length, source, search),
    [search.tenantId, search.userId, terms, search.limit, search.query, ...source.values],
    { name: `search_words_${terms.length}${source.variant}` },
  );
  const [first] = rows;
  return {
    rows: rows.filter((row): row is Row & WordRow => row.id !== null),
    unknownTerms: terms.filter((_, index) => first?.frequencies?.[index] === 0),
    mayNameProject: first?.namesProject ?? true,
  };
}

/** A memory, or none where nothing was found; the others are null in all rows but the first. */
type Row = (WordRow | { id: null }) & { frequencies: number[] | null; namesProject: boolean | null };

/**
 * One statement: find (by the user's words, memories_words_idx), count how many have each word, weigh, and read the
 * wide columns of the best only. One row without a memory brings the counts when nothing is found; a function word
 * counts as known (-1).
 */
function wordStatement(termCount: number, source: MemorySource, search: SearchTarget): string {
  const terms = Array.from({ length: termCount }, (_, index) => index + 1);
  const list = (of: (n: number) => string, separator: string) => terms.map(of).join(separator);
  const hasAny = list((n) => `has_${n}`, ' or ');
  const isNow = search.asOf === undefined;
  const columns = (m: string) =>
    `${m}.id, ${isNow ? `${m}.place` : 'null::tid as place'}, length(${m}.search_text)::float8 as size, ${m}.search_terms`;
  return `
    with queries as materialized (
      select ${list((n) => `search_query(($3::text[])[${n}]) as query_${n}`, ', ')},
        exists (${projectsNamed(search, '$5')}) as names_project
    ), ${
      isNow
        ? rowsWithWords(source, columns)
        : `given as (select ${columns('m')} from ${source.relation} m where ${source.where('m')})`
    },
    hits as materialized (
      select m.id, m.place, m.size, ${list((n) => `m.search_terms @@ query_${n} as has_${n}`, ', ')}
      from given as m cross join queries
    ), counts as materialized (
      select count(*)::float8 as found, avg(size) as size,
        ${list((n) => `count(*) filter (where has_${n})::float8 as with_${n}`, ', ')}
      from hits where ${hasAny}
    ), weights as materialized (
      select size, ${list((n) => `ln(1::float8 + (found - with_${n} + 0.5::float8) / (with_${n} + 0.5::float8)) as weight_${n}`, ', ')},
        array[${list((n) => `case when numnode(query_${n}) = 0 then -1 else with_${n}::integer end`, ', ')}]
          as frequencies, names_project
      from counts cross join queries
    ), best as (
      select h.id, h.place, (${list((n) => `case when has_${n} then weight_${n} else 0 end`, ' + ')})
          / (${1 - LENGTH + 1 / SATURATION}::float8 + ${LENGTH}::float8 * h.size / w.size) as score
      from hits h cross join weights w where ${hasAny}
      order by score desc, h.id limit $4::integer
    )
    select found.*, case when is_first is not false then weights.frequencies end as frequencies,
      case when is_first is not false then weights.names_project end as "namesProject"
    from weights left join lateral (
      select ${candidateColumns('m')}, best.score as "wordScore",
        row_number() over (order by best.score desc, best.id) = 1 as is_first
      from best ${isNow ? 'join memories m on m.ctid = best.place' : `cross join lateral ${source.byId('best.id')} as m`}
    ) as found on true
    order by found."wordScore" desc, found.id`;
}

/**
 * `given`: the memories with one of the words. The index is read before anything else is asked (`offset 0`), or the
 * planner would read all of the user's memories beside it.
 */
function rowsWithWords(source: MemorySource, columns: (alias: string) => string): string {
  return `given as (
      select ${columns('m')} from (
        select *, ctid as place from memories where is_current and ${WORD_KEYS} && array(${KEYS_OF_TERMS}) offset 0) as m
      where ${source.where('m')}
    )`;
}
