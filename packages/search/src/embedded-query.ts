/** What a search has to know of an embedding model. */
type QueryProfile = Readonly<{
  /** Id in `embedding_models`. */
  id: string;
  dimensions: number;
  /** Cosine; memories below it are left out. */
  minSimilarity: number;
  /** Cosine; two memories at or above it say the same thing. */
  duplicateSimilarity: number;
  /** Whether the model reads a text: the vector of one that it does not read says nothing. */
  reads: (text: string) => boolean;
}>;

/** Whose search it is; `userId` is null for all users of a tenant. */
export type SearchOwner = Readonly<{ tenantId: string; userId: string | null }>;

/** The query as a vector of the model, or why there is none (`timeout` or an error's code). */
export type EmbeddedQuery =
  | Readonly<{
      profile: QueryProfile;
      vector: readonly number[];
      /** False while memories may lack vectors of this model. */
      isComplete: boolean;
    }>
  | Readonly<{ unavailable: string }>;

/** Null for a query that the model does not read. */
export type EmbedQuery = (query: string, of: SearchOwner) => Promise<EmbeddedQuery | null>;
