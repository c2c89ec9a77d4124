import { candidateColumns, type CandidateRow, type Sql } from '@factmill/database';
import { mayName } from '../channels/by-project.ts';
import { MOST_WRITTEN } from '../kept/kept.ts';
import { toUuids, uuidAt } from '../resident/uuids.ts';
import { memoriesOf } from '../target.ts';
import type { KeptWordTable } from './kept-words.ts';
import type { Lexemes } from './lexemes.ts';
import type { UserWordSearch, WordHits, WordRow } from './search-by-words.ts';
import { byScore } from './weigh-words.ts';
import { idsOf, MOST_WORDS, scoreWords } from './word-table.ts';

/** So many more than wanted are read, in case that some of them are gone. */
const SPARE = 5;

/** A memory as it is now; of one that was written since the table was read, which words it has, and how long it is. */
type NowRow = CandidateRow & Readonly<{ words: number | null; length: number }>;

/** A memory, or none where nothing was found, beside what was written since: how much, and of which projects. */
type Row = (NowRow | { id: null }) & { written: number; projects: string[] | null };

/**
 * Finds the best rows in a kept table and reads them, and beside them what was written since: that counts with the
 * frequencies of the table. A memory that was written since is not taken from the table. The number of a transaction
 * that is still to come is another server's, from which the memory was restored: it is old.
 *
 * @returns `outdated` when too much was written or is gone since; `phrase` when a term is not one word
 */
export async function findKept(
  sql: Sql,
  search: UserWordSearch,
  { table, projects, since }: KeptWordTable,
  lexemesOf: Lexemes,
): Promise<WordHits | 'outdated' | 'phrase'> {
  const { terms, limit } = search;
  const lexemes = await lexemesOf(sql, terms);
  if (terms.length > MOST_WORDS || lexemes.some((lexeme) => lexeme.is === 'phrase')) return 'phrase';
  const keys = lexemes.map((lexeme) => (lexeme.is === 'word' ? lexeme.key : null));
  const { best, found, frequencies, scoreOf } = scoreWords(table, keys, limit + SPARE);
  const ids = idsOf(
    table,
    best.map(({ row }) => row),
  );
  const source = memoriesOf(search, 6, { anyUser: true });
  const { rows } = await sql.query<Row>(
    `with written as materialized (
       select * from memories m where m.tenant_id = $1::uuid and m.user_id = (select $2::text) and m.is_current
         and m.written >= $5::xid8 and m.written < pg_snapshot_xmax(pg_current_snapshot())
       limit ${MOST_WRITTEN + 1}
     )
     select said.*, found.*
     from (
       select count(*)::integer as written, array_agg(project) filter (where project is not null) as projects
       from written
     ) as said
     left join (
       select ${candidateColumns('m')}, null::integer as words, 0 as length
       from (select * from memories where id = any((select $4::uuid[])::uuid[]) offset 0) as m where ${source.where('m')}
         and (m.written < $5::xid8 or m.written >= pg_snapshot_xmax(pg_current_snapshot()))
       union all
       select ${candidateColumns('m')}, has.words, length(m.search_text)
       from written as m cross join lateral (
         select coalesce(bit_or(1 << (number - 1)::integer), 0) as words
         from unnest($3::text[]) with ordinality as asked (term, number)
         where m.search_terms @@ search_query(term)
       ) as has
       where has.words > 0 and ${source.where('m')}
     ) as found on true`,
    [search.tenantId, search.userId, terms, toUuids(ids), since, ...source.values],
    { name: `search_kept_words${source.variant}` },
  );
  const [first] = rows;
  const memories = rows.filter((row): row is Row & NowRow => row.id !== null);
  const kept = memories.filter(({ words }) => words === null).length;
  const isComplete = best.length === found || kept >= limit;
  if (first === undefined || first.written > MOST_WRITTEN || !isComplete) return 'outdated';
  const scores = new Map(best.map(({ score }, place) => [uuidAt(ids, place), score]));
  const scored = memories.map((memory): WordRow => {
    const { id, words, length } = memory;
    return { ...memory, wordScore: words === null ? (scores.get(id) ?? 0) : scoreOf(words, length) };
  });
  const recent = memories.reduce((bits, { words }) => bits | (words ?? 0), 0);
  return {
    rows: scored.sort(byScore).slice(0, limit),
    unknownTerms: terms.filter(
      (_, at) => lexemes[at]?.is === 'word' && frequencies[at] === 0 && ((recent >>> at) & 1) === 0,
    ),
    mayNameProject: mayName(search.query, projects) || mayName(search.query, first.projects ?? []),
  };
}
