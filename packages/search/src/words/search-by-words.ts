import type { CandidateRow, Sql } from '@factmill/database';
import { memoriesOf, type SearchTarget } from '../target.ts';
import { findFew } from './find-few.ts';
import { findKept } from './find-kept.ts';
import { findWords } from './find-words.ts';
import type { KeptWords } from './kept-words.ts';
import { MOST_WORDS } from './word-table.ts';

export type WordSearch = SearchTarget &
  Readonly<{
    /** Looked for one by one; at least one has to be there. */
    terms: readonly string[];
    /** What the terms are of: it may name a project. */
    query: string;
    limit: number;
  }>;

/** `wordScore` is above 0 and comparable within one search only. */
export type WordRow = CandidateRow & Readonly<{ wordScore: number }>;

export type WordHits = Readonly<{
  rows: WordRow[];
  /** Of the terms, those that no memory has: misspelt, cut short, or of a script that full text cannot take apart. */
  unknownTerms: string[];
  /** False when the query names no project that there is, so that nobody needs to ask for its memories. */
  mayNameProject: boolean;
}>;

export type UserWordSearch = WordSearch & Readonly<{ userId: string }>;

/**
 * The user's visible memories with at least one of the words, in any of its forms, best first, then by id: BM25 with
 * the frequencies of the words among the memories found, so that what is rare in this user's memory counts most.
 * Complete inside the user.
 *
 * @param kept where the words of users that are searched again are kept; without it Postgres finds them
 */
export async function searchByWords(sql: Sql, search: WordSearch, kept?: KeptWords): Promise<WordHits> {
  if (search.terms.length === 0) return { rows: [], unknownTerms: [], mayNameProject: true };
  if (kept === undefined || !isPlain(search)) return findWords(sql, search);
  const table = kept.of(search);
  if (table !== undefined) {
    const found = await findKept(sql, search, table, kept.lexemes);
    if (found === 'phrase') return findWords(sql, search);
    if (found !== 'outdated') return found;
    kept.forget(search);
  }
  const few = search.terms.length <= MOST_WORDS ? await findFew(sql, search) : null;
  if (few !== null) return few;
  // Fewer are quickly found as it is.
  kept.miss(sql, search);
  return findWords(sql, search);
}

/** Whether it is for all that a user has now. */
function isPlain(search: WordSearch): search is UserWordSearch {
  return search.userId !== null && search.asOf === undefined && !memoriesOf(search, 1).isFiltered;
}
