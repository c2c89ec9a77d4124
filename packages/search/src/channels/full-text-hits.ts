import type { CandidateRow } from '@factmill/database';
import type { SearchTarget } from '../target.ts';

export type FullTextSearch = SearchTarget &
  Readonly<{
    /** Looked for one by one; at least one has to be there. */
    terms: readonly string[];
    /** What the terms are of: it may name a project. */
    query: string;
    limit: number;
  }>;

/** `textScore` is BM25: above 0, and comparable within one search only. */
export type FullTextRow = CandidateRow & Readonly<{ textScore: number }>;

export type FullTextHits = Readonly<{
  rows: FullTextRow[];
  /** Terms that no memory has: misspelt, cut short, or of a script that full text cannot take apart. */
  unknownTerms: string[];
  /** False when the query names no project that there is, so that its memories need not be asked for. */
  mayNameProject: boolean;
  /** Where terms are unknown: what can be said of words without asking the database; absent: nothing. */
  vocabulary?: Vocabulary;
}>;

/** The words of a user's memories, as far as a resident index and what was written since tell. */
export type Vocabulary = Readonly<{
  /** Whether a text may be a part of one of all memories: never no when it is. */
  mayContain: (text: string) => boolean;
  /** Lexemes of the latest memories, of all, that a misspelt word may have meant. */
  spelt: () => Iterable<string>;
  /** The lexeme of an unknown term. */
  stemOf: (term: string) => string;
  /** Whether one of these lexemes may be in a memory that is searched: never no when it is. */
  mayHave: (lexeme: string) => boolean;
  /** The memories that are searched, where filters leave few of them; null: not known. */
  among: readonly string[] | null;
}>;
