/**
 * What the rest of Factmill has to know about an embedding model. Similarities are cosine, 0 to 1 in practice,
 * and mean different things for different models, which is why they live here and not in the search.
 */
export type EmbeddingProfile = Readonly<{
  /** Stable name stored beside every vector. Vectors of different ids are never compared. */
  id: string;
  dimensions: number;
  /** Search leaves out memories below this similarity to the query. */
  minSimilarity: number;
  /** Two memories at or above this similarity say the same thing. */
  duplicateSimilarity: number;
}>;

type KnownModel = EmbeddingProfile & Readonly<{ aliases: readonly string[] }>;

/**
 * Universal Sentence Encoder lite, the model that comes with Factmill, measured on the labelled pairs of
 * `embedding-profiles.int.test.ts` (November 2026):
 *
 * - question and fact that answers it: 0.176 to 0.736, of 42 pairs 40 at 0.22 or above; unrelated: up to 0.183.
 * - the same fact reworded: 0.872 to 0.984; a different fact in the same words: up to 0.996 (a birthday on 14 and on
 *   15 March). The two overlap, so that only practically identical text may count as a duplicate.
 */
export const LOCAL_EMBEDDING_PROFILE: EmbeddingProfile = {
  id: 'use-lite-512',
  dimensions: 512,
  minSimilarity: 0.22,
  duplicateSimilarity: 0.998,
};

/** Thresholds for a model nobody has calibrated: a wide search, and only near-identical text counts as equal. */
const CONSERVATIVE = { minSimilarity: 0.3, duplicateSimilarity: 0.95 } as const;

const KNOWN_MODELS: readonly KnownModel[] = [
  // Cosine distance cutoff 0.3, as the memory system that ships with this model uses it.
  {
    id: 'nomic-embed-text',
    aliases: ['nomic-embed-text-v1', 'nomic-embed-text-v1.5'],
    dimensions: 768,
    minSimilarity: 0.7,
    duplicateSimilarity: 0.95,
  },
  // Similarity 0.5 for context and 0.90 for duplicates, as the memory system that defaults to this model uses it.
  {
    id: 'bge-small-en-v1.5',
    aliases: ['bge-small-en', 'bge-small'],
    dimensions: 384,
    minSimilarity: 0.5,
    duplicateSimilarity: 0.9,
  },
  // Published dimensions; the thresholds are the conservative ones, not measured.
  {
    id: 'text-embedding-3-small',
    aliases: [],
    dimensions: 1536,
    minSimilarity: 0.3,
    duplicateSimilarity: 0.9,
  },
  {
    id: 'text-embedding-3-large',
    aliases: [],
    dimensions: 3072,
    minSimilarity: 0.3,
    duplicateSimilarity: 0.9,
  },
];

/**
 * The profile of an OpenAI-compatible embedding model.
 *
 * `model` is what the endpoint calls it; an owner (`BAAI/…`) and a tag (`…:latest`) do not matter for known
 * models. `dimensions` is the size asked for, or the size seen in a reply. A known model asked for another size
 * than its own gets an id of its own, as its vectors cannot be compared with the full ones.
 *
 * Returns undefined when the model is not known and no size is given: the first reply tells.
 */
export function embeddingProfileOf(model: string, dimensions?: number): EmbeddingProfile | undefined {
  const known = findKnownModel(model);
  if (known) {
    const { aliases: _, ...profile } = known;
    if (dimensions === undefined || dimensions === profile.dimensions) return profile;
    return { ...profile, id: `${profile.id}@${dimensions}`, dimensions };
  }
  if (dimensions === undefined) return undefined;
  return { id: `${model}@${dimensions}`, dimensions, ...CONSERVATIVE };
}

function findKnownModel(model: string): KnownModel | undefined {
  const bare = model.toLowerCase().replace(/^.*\//, '').replace(/:.*$/, '');
  return KNOWN_MODELS.find(({ id, aliases }) => id === bare || aliases.includes(bare));
}
