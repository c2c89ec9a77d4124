import { candidateColumns, type CandidateRow, type Sql } from '@factmill/database';
import { projectsNamed } from '../channels/by-project.ts';
import { memoriesOf, type MemorySource } from '../target.ts';
import { KEYS_OF_TERMS, WORD_KEYS } from './find-words.ts';
import type { UserWordSearch, WordHits } from './search-by-words.ts';
import { byScore, weighWords } from './weigh-words.ts';

type FoundRow = CandidateRow & Readonly<{ words: number; length: number }>;

/** A memory, or none where nothing was found, beside what is said of the query. */
type Row = (FoundRow | { id: null }) & { isFunctionWord: boolean[]; namesProject: boolean };

/**
 * As `searchByWords`, for what has few hits: all of them are read and weighed here. A statement that weighs, and that
 * knows what to do about words of thousands of memories, takes twice as long. Null when there are more than `limit`.
 */
export async function findFew(sql: Sql, search: UserWordSearch): Promise<WordHits | null> {
  const { terms, limit } = search;
  const source = memoriesOf(search, 6, { anyUser: true });
  const { rows } = await sql.query<Row>(
    fewStatement(terms.length, search, source),
    [search.tenantId, search.userId, terms, limit, search.query, ...source.values],
    { name: `search_few_words_${terms.length}${source.variant}` },
  );
  const [first] = rows;
  if (first === undefined || rows.length > limit) return null;
  // The words of a phrase can be there without the phrase.
  const found = rows.filter((row): row is Row & FoundRow => row.id !== null && row.words > 0);
  const frequencies = terms.map((_, at) => found.filter(({ words }) => (words >>> at) & 1).length);
  const scoreOf = weighWords(
    frequencies,
    found.length,
    found.reduce((sum, { length }) => sum + length, 0),
  );
  return {
    rows: found.map((row) => ({ ...row, wordScore: scoreOf(row.words, row.length) })).sort(byScore),
    unknownTerms: terms.filter((_, at) => frequencies[at] === 0 && first.isFunctionWord[at] !== true),
    mayNameProject: first.namesProject,
  };
}

/** The index is read before anything else is asked (`offset 0`), or the planner would read all of the user's memories. */
function fewStatement(termCount: number, search: UserWordSearch, source: MemorySource): string {
  const list = (of: (n: number) => string, separator: string) =>
    Array.from({ length: termCount }, (_, index) => of(index + 1)).join(separator);
  return `
    with queries as materialized (
      select ${list((n) => `search_query(($3::text[])[${n}]) as query_${n}`, ', ')},
        exists (${projectsNamed(search, '$5')}) as names_project
    )
    select array[${list((n) => `numnode(query_${n}) = 0`, ', ')}] as "isFunctionWord",
      names_project as "namesProject", found.*
    from queries left join lateral (
      select ${candidateColumns('m')}, length(m.search_text) as length,
        ${list((n) => `(m.search_terms @@ query_${n})::integer * ${1 << (n - 1)}`, ' + ')} as words
      from (
        select * from memories where is_current and ${WORD_KEYS} && array(${KEYS_OF_TERMS}) offset 0
      ) as m
      where ${source.where('m')} limit $4::integer + 1
    ) as found on true`;
}
