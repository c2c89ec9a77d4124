import type { Sql } from '@factmill/database';
import { mayName } from '../channels/by-project.ts';
import type { FullTextHits, FullTextRow, FullTextSearch } from '../channels/full-text-hits.ts';
import type { FindLexemes, Lexeme } from './lexemes.ts';
import type { AboutUser, ResidentHit, ResidentSearch } from './resident-search.ts';
import { MAX_TERMS, scoreTerms, type TermScores } from './score-terms.ts';
import { idsOf, type UserIndex } from './user-index.ts';
import { uuidAt } from './uuids.ts';
import { createVocabulary } from './vocabulary.ts';

/** Best by terms that are read beyond the limit, in case that some of them are gone. */
const OVERFETCH = 5;

/** A list of terms, and the memories of an index that are the best by it. */
export type TermList = Readonly<{
  search: FullTextSearch;
  lexemes: readonly Lexeme[];
  scores: TermScores;
  /** Of `scores.best`. */
  ids: Buffer;
  /** Place of its first term among all terms of the statement. */
  shift: number;
}>;

export type TextPlan = Readonly<{
  own: TermList;
  /** Null where the terms of the query bring enough, or one statement cannot tell so many terms apart. */
  related: TermList | null;
  /** Whether no memory of the index has one of the terms. */
  hasUnknown: boolean;
}>;

/** Null where a term is none that an index knows, such as several words in a row. */
export async function planText(
  sql: Sql,
  index: UserIndex,
  { text, relatedTerms }: ResidentSearch,
  passing: Uint8Array | null,
  findLexemes: FindLexemes,
): Promise<TextPlan | null> {
  if (text === null || text.terms.length === 0 || text.terms.length > MAX_TERMS) return null;
  const shift = text.terms.length;
  const others = shift + relatedTerms.length > MAX_TERMS ? [] : relatedTerms;
  const lexemes = await findLexemes(sql, [...text.terms, ...others]);
  const plan = (search: FullTextSearch, from: number): TermList | null => {
    const its = lexemes.slice(from, from + search.terms.length);
    if (its.length === 0 || its.some((lexeme) => lexeme.is === 'phrase')) return null;
    const keys = its.map((lexeme) => (lexeme.is === 'word' ? lexeme.key : null));
    const scores = scoreTerms(index, keys, search.limit + OVERFETCH, passing);
    const ids = idsOf(
      index,
      scores.best.map(({ row }) => row),
    );
    return { search, lexemes: its, scores, ids, shift: from };
  };
  const own = plan(text, 0);
  if (own === null) return null;
  const hasRoom = own.scores.found < text.limit;
  return {
    own,
    related: hasRoom ? plan({ ...text, terms: others }, shift) : null,
    hasUnknown: own.lexemes.some(
      ({ is }, term) => is === 'word' && own.scores.documentFrequencies[term] === 0,
    ),
  };
}

/** `outdated` when too many of the best are gone. */
export function toFullTextHits(
  index: UserIndex,
  { search, scores, ids, lexemes, shift }: TermList,
  found: readonly ResidentHit[],
  projects: readonly string[],
): FullTextHits | 'outdated' {
  const { terms, limit, query } = search;
  const bestById = new Map(scores.best.map((entry, at) => [uuidAt(ids, at), entry]));
  const termsOf = ({ id, terms: ofDelta }: ResidentHit) =>
    ofDelta === null ? (bestById.get(id)?.terms ?? 0) : (ofDelta >>> shift) & ((1 << terms.length) - 1);
  const hits = found.filter((hit) => termsOf(hit) !== 0);
  const isComplete =
    scores.best.length === scores.found || hits.filter((hit) => hit.terms === null).length >= limit;
  if (!isComplete) return 'outdated';
  const rows = hits
    .map((hit): FullTextRow => ({
      ...hit,
      textScore:
        hit.terms === null ? (bestById.get(hit.id)?.score ?? 0) : scores.scoreOf(termsOf(hit), hit.length),
    }))
    .sort((a, b) => b.textScore - a.textScore || (a.id < b.id ? -1 : 1));
  const seen = hits.reduce((bits, hit) => bits | termsOf(hit), 0);
  return {
    rows: rows.slice(0, limit),
    unknownTerms: terms.filter(
      (_, term) => lexemes[term]?.is === 'word' && !has(seen, term) && areAllRead(scores, term),
    ),
    mayNameProject: mayName(query, index.projects) || mayName(query, projects),
  };
}

/** With what can be said of the unknown terms, where the statement was asked for the words of the delta. */
export function withVocabulary(
  hits: FullTextHits,
  index: UserIndex,
  passing: Uint8Array | null,
  { own }: TextPlan,
  { delta, texts, lexemes }: AboutUser,
): FullTextHits {
  if (hits.unknownTerms.length === 0 || (delta > 0 && (texts === null || lexemes === null))) return hits;
  const stems = own.search.terms.flatMap((term, at): [string, string][] => {
    const lexeme = own.lexemes[at];
    return lexeme?.is === 'word' ? [[term, lexeme.lexeme]] : [];
  });
  const since = { count: delta, texts: texts ?? [], lexemes: lexemes ?? [] };
  return { ...hits, vocabulary: createVocabulary(index, passing, since, new Map(stems)) };
}

/** Whether all rows of the index with a term are among the best, which were read: where none is left, it is unknown. */
function areAllRead({ best, documentFrequencies }: TermScores, term: number): boolean {
  return best.filter(({ terms }) => has(terms, term)).length === documentFrequencies[term];
}

function has(terms: number, term: number): boolean {
  return ((terms >>> term) & 1) === 1;
}
