import { setImmediate as nextTurn } from 'node:timers/promises';
import { candidateColumns, type CandidateRow, type Sql } from '@factmill/database';
import { compareText, MAX_SPELT_CHARACTERS, MIN_SPELT_CHARACTERS, stemSimilarity } from '@factmill/ranking';
import { memoriesOf, memoriesWithKeys, type SearchTarget } from '../target.ts';
import type { Channel } from './channel.ts';

/** Words of so many of the user's latest memories are compared: 4 ms. */
const MAX_READ = 2_000;
/** Of these, the latest that have no more lexemes together. */
const MAX_LEXEMES = 40_000;
/** Characters of the words that are compared, counted once for each word of the query. */
const MAX_COMPARED = 500_000;
const WORDS_PER_TURN = 1_000;
/** Unknown words of a query that are compared, and words that one of them may have meant. */
const MAX_TERMS = 8;
const MAX_MEANT = 5;
/** Numbers and identifiers mean what they say, and a sign of Chinese, Japanese or Korean is a word. */
const SPELT =
  /^(?!.*[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}])[\p{L}\p{M}'’]+$/u;

/** A word of the user's memories, in the form of full text, that a word of the query may have meant. */
type Meant = Readonly<{ word: string; similarity: number }>;

/** Memories with words that are spelt nearly as those of the query that no memory has. */
export const spellingChannel: Channel = async ({ database, target, settings, limit, first }) => {
  if (target.userId === null || !settings.channels.has('text') || settings.mode === 'vector') return null;
  const text = await first.fullText().catch(() => null);
  const { unknownTerms = [], vocabulary } = text ?? {};
  const unknown = unknownTerms
    .filter(({ length }) => length >= MIN_SPELT_CHARACTERS && length <= MAX_SPELT_CHARACTERS)
    .filter((term) => SPELT.test(term))
    .slice(0, MAX_TERMS);
  if (unknown.length === 0) return null;
  const meant =
    vocabulary === undefined
      ? await findMeantWords(database, target, unknown)
      : await chooseMeant(unknown, unknown.map(vocabulary.stemOf), [...vocabulary.spelt()]);
  if (meant.length === 0) return null;
  if (vocabulary !== undefined && !meant.some(({ word }) => vocabulary.mayHave(word))) return [];
  return searchBySpelling(database, { ...target, meant, limit });
};

/** The words that unknown ones may have meant: those that look most alike. */
export async function findMeantWords(
  sql: Sql,
  { tenantId, userId }: Pick<SearchTarget, 'tenantId' | 'userId'>,
  terms: readonly string[],
): Promise<Meant[]> {
  const { stems, words } = await sql.one<{ stems: string[]; words: string | null }>(
    `select array(
         select coalesce((tsvector_to_array(search_words(term)))[1], term)
         from unnest($3::text[]) with ordinality as t (term, n) order by n) as stems,
       string_agg(distinct word, E'\\n') as words
     from (
       select search_terms, sum(length(search_terms)) over (order by created_at desc, id desc) as lexemes
       from memories
       where tenant_id = $1::uuid and user_id = (select $2::text) and is_current
       order by created_at desc, id desc limit ${MAX_READ}
     ) as m cross join lateral unnest(tsvector_to_array(m.search_terms)) as word
     where m.lexemes <= ${MAX_LEXEMES} and length(word) between $4::integer and $5::integer and word !~ '[0-9]'`,
    [tenantId, userId, terms, MIN_SPELT_CHARACTERS - 1, Math.max(...terms.map((term) => term.length)) + 2],
    { name: 'find_meant_words' },
  );
  return chooseMeant(terms, stems, words?.split('\n') ?? []);
}

/**
 * Of the words those that look most like the terms, or like their stems. Of more words than may be compared the first
 * ones; while there are many, others have their turn.
 */
export async function chooseMeant(
  terms: readonly string[],
  stems: readonly string[],
  words: readonly string[],
): Promise<Meant[]> {
  let characters = 0;
  const end = words.findIndex((word) => (characters += word.length * terms.length) > MAX_COMPARED);
  const compared = end === -1 ? words : words.slice(0, end);
  const meant: Meant[] = [];
  for (const [at, term] of terms.entries()) {
    const stem = stems[at] ?? term;
    const alike: Meant[] = [];
    for (let from = 0; from < compared.length; from += WORDS_PER_TURN) {
      if (from > 0) await nextTurn();
      alike.push(...lookingLike(term, stem, compared.slice(from, from + WORDS_PER_TURN)));
    }
    alike.sort((a, b) => b.similarity - a.similarity || compareText(a.word, b.word));
    meant.push(...alike.slice(0, MAX_MEANT));
  }
  return meant;
}

function lookingLike(term: string, stem: string, words: readonly string[]): Meant[] {
  return words.flatMap((word) => {
    const similarity = Math.max(stemSimilarity(term, word), stem === term ? 0 : stemSimilarity(stem, word));
    return similarity > 0 ? { word, similarity } : [];
  });
}

/** The user's visible memories with one of the words (memories_words_idx), those with more and more alike ones first. */
export async function searchBySpelling(
  sql: Sql,
  search: SearchTarget & Readonly<{ meant: readonly Meant[]; limit: number }>,
): Promise<{ row: CandidateRow; value: number }[]> {
  const { tenantId, userId, meant, limit, asOf } = search;
  const source = memoriesOf(search, 6, { anyUser: true });
  const relation =
    asOf === undefined
      ? memoriesWithKeys(
          source,
          `array(select search_key($1::uuid, $2::text, word) from unnest($3::text[]) as word)`,
        )
      : source.relation;
  const { rows } = await sql.query<CandidateRow & { similarity: number }>(
    `with found as materialized (
       select m.id, m.stated_at, similarity.sum from ${relation} as m cross join lateral (
         select sum(similarity) from unnest($3::text[], $4::float8[]) as w (word, similarity)
         where word = any(tsvector_to_array(m.search_terms))) as similarity
       where ${source.where('m')} and similarity.sum > 0
       order by similarity.sum desc, m.stated_at desc, m.id limit $5::integer
     )
     select ${candidateColumns('m')}, found.sum as similarity
     from found cross join lateral ${source.byId('found.id')} as m
     order by found.sum desc, found.stated_at desc, found.id`,
    [
      tenantId,
      userId,
      meant.map(({ word }) => word),
      meant.map(({ similarity }) => similarity),
      limit,
      ...source.values,
    ],
    { name: `search_spelling${source.variant}` },
  );
  return rows.map(({ similarity, ...row }) => ({ row, value: Math.min(1, similarity) }));
}
