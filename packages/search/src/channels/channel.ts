import type { SearchRequest } from '@factmill/contracts';
import type { CandidateRow, Sql } from '@factmill/database';
import type { AskedPeriod } from '@factmill/ranking';
import type { Turn } from '../candidate.ts';
import type { SearchSettings } from '../settings.ts';
import type { SearchTarget } from '../target.ts';
import type { FullTextHits } from './full-text-hits.ts';
import type { QueryVector, VectorRow } from './nearest.ts';

/** `value` is the channel's own measure; `similarity` the cosine, where a channel has measured it beside that. */
export type Hit = Readonly<{ row: CandidateRow; value: number; similarity?: number; turn?: Turn }>;

/** Vectors and full text, which other channels depend on. Each is asked once, whoever asks first. */
export type FirstStage = Readonly<{
  vector: () => Promise<VectorRow[]>;
  /** What the search by vector brought besides. */
  belowCutoff: () => Promise<VectorRow[]>;
  fullText: () => Promise<FullTextHits>;
  /** False when the user has no turns that could be found. */
  mayHaveTurns: () => Promise<boolean>;
  /** As full text, for words that the query has not but its answer may have. */
  related: () => Promise<FullTextHits>;
}>;

/** What a channel is asked: the search in one of its scopes. */
export type ChannelSearch = Readonly<{
  database: Sql;
  target: SearchTarget;
  request: SearchRequest;
  settings: SearchSettings;
  /** Terms of the query. */
  terms: readonly string[];
  /** Periods that the query names. */
  periods: readonly AskedPeriod[];
  /** How many hits at most. */
  limit: number;
  /** The query as a vector; null when there is none. */
  queryVector: () => Promise<QueryVector | null>;
  first: FirstStage;
}>;

/** Finds candidates, best first; null when the others leave it nothing to do. One file per channel. */
export type Channel = (search: ChannelSearch) => Promise<readonly Hit[] | null>;
