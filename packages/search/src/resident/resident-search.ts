import type { CandidateRow } from '@factmill/database';
import type { FullTextHits, FullTextSearch } from '../channels/full-text-hits.ts';
import type { VectorRow, VectorSearch } from '../channels/nearest.ts';
import type { SearchTarget } from '../target.ts';

/** A search of what one user has now: by a vector, by terms, or by both. */
export type ResidentSearch = Readonly<{
  target: SearchTarget;
  vector: VectorSearch | null;
  text: FullTextSearch | null;
  /** Looked for as well where those of the text bring fewer than its limit. */
  relatedTerms: readonly string[];
}>;

/** Null where a channel has to ask by a statement of its own. */
export type ResidentHits = Readonly<{
  vector: VectorRow[] | 'incomplete' | null;
  text: FullTextHits | null;
  /** By the related terms; null also where they were not looked for. */
  related: FullTextHits | null;
  /** Whether the user has turns that could be found; null: unknown. */
  hasTurns: boolean | null;
}>;

export const NOT_RESIDENT: ResidentHits = { vector: null, text: null, related: null, hasTurns: null };

export type ResidentHit = CandidateRow &
  Readonly<{
    /** Of a memory that was found by its vector; else null. */
    similarity: number | null;
    /** Of a memory of the delta, which terms it has; else null. */
    terms: number | null;
    length: number;
  }>;

/** What the statement says of the delta and of the user, beside the hits. */
export type AboutUser = Readonly<{
  delta: number;
  projects: readonly string[] | null;
  hasTurns: boolean;
  /** Of the delta; null where they were not asked for, or are too long. */
  texts: readonly string[] | null;
  lexemes: readonly string[] | null;
}>;
