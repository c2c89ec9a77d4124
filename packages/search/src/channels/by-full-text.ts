import { candidateColumns, type Sql } from '@factmill/database';
import { B, K1 } from '../bm25.ts';
import { memoriesOf, type MemorySource, memoriesWithKeys, type SearchTarget } from '../target.ts';
import { projectsNamed } from './by-project.ts';
import type { Channel } from './channel.ts';
import type { FullTextHits, FullTextRow, FullTextSearch } from './full-text-hits.ts';

export const fullTextChannel: Channel = async ({ settings, limit, first }) => {
  // Source D: words only where vectors leave room.
  if (settings.mode === 'vector' && (await first.vector().catch(() => [])).length >= limit) return null;
  const { rows } = await first.fullText();
  const hits = rows.map((row) => ({ row, value: row.textScore }));
  if (settings.mode !== 'fused' || rows.length >= limit) return hits;
  // Behind what has the words themselves, so that they count less.
  const least = rows.at(-1)?.textScore ?? 1;
  const known = new Set(rows.map(({ id }) => id));
  const related = await first.related().catch(() => null);
  const others = (related?.rows ?? []).filter(({ id }) => !known.has(id)).slice(0, limit - rows.length);
  const best = others[0]?.textScore ?? 1;
  return [...hits, ...others.map((row) => ({ row, value: (least * row.textScore) / best / 2 }))];
};

/** A memory, or none where nothing was found; the others are null in all rows but the first. */
type Row = (FullTextRow | { id: null }) & { frequencies: number[] | null; namesProject: boolean | null };

/**
 * The visible memories with at least one of the terms, in any of its forms, best first, then by id: BM25 with the
 * document frequencies among the memories found, so that what is rare in this user's memory counts most. Complete
 * inside the user.
 */
export async function searchByFullText(sql: Sql, search: FullTextSearch): Promise<FullTextHits> {
  const { terms } = search;
  if (terms.length === 0) return { rows: [], unknownTerms: [], mayNameProject: true };
  const source = memoriesOf(search, 6, { anyUser: true });
  const { rows } = await sql.query<Row>(
    fullTextStatement(terms.length, source, search),
    [search.tenantId, search.userId, terms, search.limit, search.query, ...source.values],
    { name: `search_full_text_${terms.length}${source.variant}` },
  );
  const [first] = rows;
  return {
    rows: rows.filter((row): row is Row & FullTextRow => row.id !== null),
    unknownTerms: terms.filter((_, index) => first?.frequencies?.[index] === 0),
    mayNameProject: first?.namesProject ?? true,
  };
}

/**
 * One statement: find by the user's lexemes, count how many memories have each term, score, and read the wide columns
 * of the best only. One row without a memory brings the counts when nothing is found; a function word counts as known
 * (-1).
 */
function fullTextStatement(termCount: number, source: MemorySource, search: SearchTarget): string {
  const terms = Array.from({ length: termCount }, (_, index) => index + 1);
  const list = (of: (n: number) => string, separator: string) => terms.map(of).join(separator);
  const hasAny = list((n) => `has_${n}`, ' or ');
  return `
    with queries as materialized (
      select ${list((n) => `search_query(($3::text[])[${n}]) as query_${n}`, ', ')},
        exists (${projectsNamed(search, '$5')}) as names_project
    ), hits as materialized (
      select m.id, length(m.search_text)::float8 as length,
        ${list((n) => `m.search_terms @@ query_${n} as has_${n}`, ', ')}
      from ${withLexemes(search)} as m cross join queries where ${source.where('m')}
    ), counts as materialized (
      select count(*)::float8 as found, avg(length) as average_length,
        ${list((n) => `count(*) filter (where has_${n})::float8 as df_${n}`, ', ')}
      from hits where ${hasAny}
    ), weights as materialized (
      select average_length, ${list((n) => `ln(1::float8 + (found - df_${n} + 0.5::float8) / (df_${n} + 0.5::float8)) as idf_${n}`, ', ')},
        array[${list((n) => `case when numnode(query_${n}) = 0 then -1 else df_${n}::integer end`, ', ')}]
          as frequencies, names_project
      from counts cross join queries
    ), best as (
      select h.id, (${list((n) => `case when has_${n} then idf_${n} else 0 end`, ' + ')})
          / (${1 - B + 1 / K1}::float8 + ${B}::float8 * h.length / w.average_length) as score
      from hits h cross join weights w where ${hasAny}
      order by score desc, h.id limit $4::integer
    )
    select found.*, case when is_first is not false then weights.frequencies end as frequencies,
      case when is_first is not false then weights.names_project end as "namesProject"
    from weights left join lateral (
      select ${candidateColumns('m')}, best.score as "textScore",
        row_number() over (order by best.score desc, best.id) = 1 as is_first
      from best cross join lateral ${source.byId('best.id')} as m
    ) as found on true
    order by found."textScore" desc, found.id`;

  /** The memories with one of the lexemes. */
  function withLexemes({ asOf }: SearchTarget): string {
    if (asOf !== undefined) return source.relation;
    return memoriesWithKeys(
      source,
      `array(select distinct search_key($1::uuid, $2::text, word)
        from unnest($3::text[]) as term cross join unnest(tsvector_to_array(search_words(term))) as word)`,
    );
  }
}
