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
}>;
