import type { Actor, MemoryStore } from '@factmill/database';
import type { Candidate, Decision, Shown } from '@factmill/extraction';

/** A candidate with the fields that only a caller of the REST API can set. */
export type MemoryToWrite = Readonly<{
  candidate: Candidate;
  project?: string | null;
  topic?: string | null;
  expiresAt?: Date | null;
  metadata?: Record<string, unknown>;
}>;

/** The outcome for one candidate. `id` is the memory that now holds its statement; null for `skipped`. */
export type Written = Readonly<{
  status: 'created' | 'updated' | 'unchanged' | 'skipped';
  id: string | null;
  /** The content to embed, when a vector is missing. */
  pendingContent: string | null;
  /** Why nothing new was stored: `known`, `outdated`, `repeated`, `near_duplicate`, `reconciled`. */
  reason?: string;
  /** Memories that this one contradicts, and that have ended because of it. */
  ended?: readonly string[];
}>;

/** How new memories are compared with others by meaning. */
export type CompareBySimilarity = Readonly<{
  /** Id of the embedding model. */
  model: string;
  duplicateSimilarity: number;
  /** Unit vector of each memory to write; null where there is none. */
  vectors: readonly (readonly number[] | null)[];
  /** Memories from this similarity on are looked up; default `duplicateSimilarity`. */
  minSimilarity?: number;
}>;

/** A model's decisions about new memories and the similar ones that exist. */
export type Reconciliation = Readonly<{
  shown: Shown;
  decisions: readonly Decision[];
  relatedSimilarity: number;
}>;

export type WriteRequest = Readonly<{
  tenantId: string;
  userId: string;
  /** The conversation that the memories are kept for; left out or empty for none. */
  conversationId?: string;
  memories: readonly MemoryToWrite[];
  actor: Actor;
  /** False when no embedding model is configured. */
  wantsEmbedding: boolean;
  newId: () => string;
  now: Date;
  /** Without it, only equal keys, questions or texts are compared. */
  similarity?: CompareBySimilarity;
  reconcile?: Reconciliation;
  /** Where the memories are; default: those that are served. */
  store?: MemoryStore;
}>;
