import { MOST_WRITTEN } from '../kept/kept.ts';
import { toUuids } from '../nearest/binary.ts';
import type { Sql } from '../pool/sql.ts';
import { candidateColumns } from '../queries/memory-rows.ts';
import { projectsNamed } from '../queries/search-by-project.ts';
import { memoriesOf } from '../queries/search-filters.ts';
import type { KeptWordTable } from './kept-words.ts';
import type { Lexemes } from './lexemes.ts';
import type { UserWordSearch, WordHits, WordRow } from './search-by-words.ts';
import { idsOf, MOST_WORDS, scoreWords } from './word-table.ts';

/** So many more than wanted are read, in case that some of them are gone. */
const SPARE = 5;

/** A memory as it is now. */
type NowRow = WordRow &
  Readonly<{
    /** Of the rows that were asked for, which one; null when it was written since the table was read. */
    place: number | null;
    /** Of those written since: the bits of the words that it has, and how long its text is. */
    words: number;
    length: number;
  }>;

/** A memory, or none where nothing was found, beside what is said once. */
type Row = (NowRow | { id: null }) & { written: number; namesProject: boolean };

/**
 * Finds the best rows in a kept table and reads them, and beside them what was written since: that counts with the
 * frequencies of the table. A memory that was written since is not taken from the table.
 *
 * @returns `outdated` when too much was written or is gone since; `phrase` when a term is not one word
 */
export async function findKept(
  sql: Sql,
  search: UserWordSearch,
  { table, since }: KeptWordTable,
  lexemesOf: Lexemes,
): Promise<WordHits | 'outdated' | 'phrase'> {
  const { terms, limit } = search;
  const lexemes = await lexemesOf(sql, terms);
  if (terms.length > MOST_WORDS || lexemes.some((lexeme) => lexeme.is === 'phrase')) return 'phrase';
  const keys = lexemes.map((lexeme) => (lexeme.is === 'word' ? lexeme.key : null));
  const { best, found, frequencies, scoreOf } = scoreWords(table, keys, limit + SPARE);
  const source = memoriesOf(search, 7, { anyUser: true });
  const { rows } = await sql.query<Row>(
    `with written as materialized (
       select * from memories m where m.tenant_id = $1::uuid and m.user_id = (select $2::text) and m.is_current
         and m.written >= $6::xid8 and m.written < pg_snapshot_xmax(pg_current_snapshot())
       limit ${MOST_WRITTEN + 1}
     )
     select said.*, found.*
     from (
       select (select count(*) from written)::integer as written,
         exists (${projectsNamed(search, '$5')}) as "namesProject"
     ) as said
     left join (
       select ${candidateColumns('m')}, (best.place - 1)::integer as place, 0 as words, 0 as length
       from unnest((select $4::uuid[])) with ordinality as best (id, place)
       cross join lateral (
         select * from memories m where m.id = best.id and m.written < $6::xid8 and ${source.where('m')} offset 0
       ) as m
       union all
       select ${candidateColumns('m')}, null, has.words, length(m.search_text)
       from written as m cross join lateral (
         select coalesce(bit_or(1 << (number - 1)::integer), 0) as words
         from unnest($3::text[]) with ordinality as asked (term, number)
         where m.search_terms @@ search_query(term)
       ) as has
       where has.words > 0 and ${source.where('m')}
     ) as found on true`,
    [
      search.tenantId,
      search.userId,
      terms,
      toUuids(
        idsOf(
          table,
          best.map(({ row }) => row),
        ),
      ),
      search.query,
      since,
      ...source.values,
    ],
    { name: `search_kept_words${source.variant}` },
  );
  const [first] = rows;
  const memories = rows.filter((row): row is Row & NowRow => row.id !== null);
  const kept = memories.filter(({ place }) => place !== null).length;
  const isComplete = best.length === found || kept >= limit;
  if (first === undefined || first.written > MOST_WRITTEN || !isComplete) return 'outdated';
  const scored = memories.map((memory): WordRow => {
    const { place, words, length } = memory;
    const wordScore = place === null ? scoreOf(words, length) : (best[place]?.score ?? 0);
    return { ...memory, wordScore };
  });
  const recent = memories.reduce((bits, { words }) => bits | words, 0);
  return {
    rows: scored.sort((a, b) => b.wordScore - a.wordScore || (a.id < b.id ? -1 : 1)).slice(0, limit),
    unknownTerms: terms.filter(
      (_, at) => lexemes[at]?.is === 'word' && frequencies[at] === 0 && ((recent >>> at) & 1) === 0,
    ),
    mayNameProject: first.namesProject,
  };
}
