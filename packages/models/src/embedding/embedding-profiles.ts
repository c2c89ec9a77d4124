/**
 * Where a threshold comes from: `factmill calibrate`; another memory system that ships with this model; a cautious
 * guess; or the operator's setting.
 */
type ThresholdOrigin = 'measured' | 'source' | 'conservative' | 'configured';

/**
 * Thresholds of cosine similarity, 0 to 1 in practice. The same number means different things for different models.
 */
export type SimilarityThresholds = Readonly<{
  /** Search leaves out memories below this similarity to the query. */
  minSimilarity: number;
  /** Two memories at or above this similarity may have one subject: it is worth asking the model how they relate. */
  relatedSimilarity: number;
  /** Two memories at or above this similarity state the same. */
  duplicateSimilarity: number;
}>;

/**
 * The characters that a model can read. Others count as one unknown token, so that texts which differ only there
 * get the same vector. `use-lite`: ASCII and some more, the vocabulary of the local model; `latin`: an English
 * model with a vocabulary of words; `any`: bytes, nothing is unknown.
 */
type ReadCharacters = 'use-lite' | 'latin' | 'any';

/** What the rest of Factmill must know about an embedding model. */
export type EmbeddingProfile = SimilarityThresholds &
  Readonly<{
    /** Stable name stored beside every vector. Vectors of different ids are never compared. */
    id: string;
    dimensions: number;
    origin: Readonly<Record<keyof SimilarityThresholds, ThresholdOrigin>>;
    /** Maximum tokens of one text; for the local model, the number above which quality falls. */
    maxInputTokens: number;
    /** How tokens are counted: with the model's vocabulary, or by an upper bound. */
    tokenizer: 'use-lite' | 'bound';
    reads: ReadCharacters;
  }>;

type KnownModel = EmbeddingProfile & Readonly<{ aliases: readonly string[] }>;

function originOf(
  minSimilarity: ThresholdOrigin,
  relatedSimilarity: ThresholdOrigin,
  duplicateSimilarity: ThresholdOrigin,
): EmbeddingProfile['origin'] {
  return { minSimilarity, relatedSimilarity, duplicateSimilarity };
}

/**
 * Universal Sentence Encoder lite, the model that comes with Factmill. `factmill calibrate` measured the thresholds
 * on its English pairs (November 2026):
 *
 * - question and fact that answers it: 0.176 to 0.736, of 60 pairs 57 above 0.23; unrelated: -0.07 to 0.40
 * - the same fact reworded: 0.507 to 0.984; a different fact in the same words: 0.736 to 0.996 (a birthday on 14
 *   and on 15 March). The two overlap, so only practically identical text may count as a duplicate.
 *
 * It accepts texts of any length, and averages: a question finds a fact (similarity of 0.23 or more) that stands
 * alone in 94 of 100 cases, among other facts in a text of 32 tokens in 67, of 64 in 36, of 128 in 19, of 512 in 7.
 * 64 tokens are a paragraph of three sentences, which in most documents has one subject.
 */
export const LOCAL_EMBEDDING_PROFILE: EmbeddingProfile = {
  id: 'use-lite-512',
  dimensions: 512,
  minSimilarity: 0.23,
  relatedSimilarity: 0.77,
  duplicateSimilarity: 0.998,
  origin: originOf('measured', 'measured', 'measured'),
  maxInputTokens: 64,
  tokenizer: 'use-lite',
  reads: 'use-lite',
};

/** For an uncalibrated model: a wide search, and only near-identical text counts as equal. */
const CONSERVATIVE = {
  minSimilarity: 0.3,
  relatedSimilarity: 0.7,
  duplicateSimilarity: 0.95,
  origin: originOf('conservative', 'conservative', 'conservative'),
  // The smallest limit among models in common use.
  maxInputTokens: 256,
  tokenizer: 'bound',
  reads: 'latin',
} as const;

const KNOWN_MODELS: readonly KnownModel[] = [
  // Cosine distance cutoff 0.3, as the memory system that ships with this model uses it. Ollama serves 2,048 tokens
  // of it unless told otherwise.
  {
    ...CONSERVATIVE,
    id: 'nomic-embed-text',
    aliases: ['nomic-embed-text-v1', 'nomic-embed-text-v1.5'],
    dimensions: 768,
    minSimilarity: 0.7,
    relatedSimilarity: 0.8,
    origin: originOf('source', 'conservative', 'conservative'),
    maxInputTokens: 2_048,
  },
  // Similarity 0.5 for context and 0.90 for duplicates, as the memory system that defaults to this model uses it.
  {
    ...CONSERVATIVE,
    id: 'bge-small-en-v1.5',
    aliases: ['bge-small-en', 'bge-small'],
    dimensions: 384,
    minSimilarity: 0.5,
    duplicateSimilarity: 0.9,
    origin: originOf('source', 'conservative', 'source'),
    maxInputTokens: 512,
  },
  // Published dimensions and limits; the thresholds are guesses for models whose unrelated sentences are near 0.
  {
    ...CONSERVATIVE,
    id: 'all-minilm-l6-v2',
    aliases: [],
    dimensions: 384,
    relatedSimilarity: 0.6,
  },
  // Its similarities lie between 0.7 and 1, because of the temperature it was trained with: what is unrelated to a
  // question is at about 0.75. 94 languages.
  {
    ...CONSERVATIVE,
    id: 'multilingual-e5-small',
    aliases: [],
    dimensions: 384,
    minSimilarity: 0.8,
    relatedSimilarity: 0.88,
    duplicateSimilarity: 0.98,
    maxInputTokens: 512,
    reads: 'any',
  },
  // Published dimensions and limit. The memory system that defaults to this model has no threshold for its
  // similarities: a reranker decides there.
  {
    ...CONSERVATIVE,
    id: 'text-embedding-3-small',
    aliases: [],
    dimensions: 1536,
    relatedSimilarity: 0.6,
    maxInputTokens: 8_191,
    reads: 'any',
  },
  {
    ...CONSERVATIVE,
    id: 'text-embedding-3-large',
    aliases: [],
    dimensions: 3072,
    relatedSimilarity: 0.6,
    maxInputTokens: 8_191,
    reads: 'any',
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
  return { ...CONSERVATIVE, id: `${model}@${dimensions}`, dimensions };
}

/** The profile with the operator's thresholds. */
export function withThresholds(
  profile: EmbeddingProfile,
  thresholds: Readonly<Partial<SimilarityThresholds>>,
): EmbeddingProfile {
  const origin = { ...profile.origin };
  for (const name of ['minSimilarity', 'relatedSimilarity', 'duplicateSimilarity'] as const) {
    if (thresholds[name] !== undefined) origin[name] = 'configured';
  }
  return { ...profile, ...thresholds, origin };
}

/** The characters beyond ASCII in the vocabulary of the local model (in NFKC). */
const USE_LITE = /^[\p{ASCII}¡£«®°±·»¿É×àáâãäåæçèéêëìíñòóôöøùúüāćıōš–—‘’“”•€′−]*$/u;
const LATIN = /^[\p{Script=Latin}\p{Script=Common}\p{Script=Inherited}]*$/u;

/**
 * Whether the model can read every character of a text. Only then may similarity decide that two texts state the
 * same: to an English model all Chinese sentences are equal.
 */
export function readsWhole(profile: Pick<EmbeddingProfile, 'reads'>, text: string): boolean {
  if (profile.reads === 'any') return true;
  return (profile.reads === 'latin' ? LATIN : USE_LITE).test(text.normalize('NFKC'));
}

/**
 * Whether the model reads enough of a text for its vector to say what it is about: at least half of the letters. To an
 * English model all questions in Chinese are one, but one in English that quotes a Chinese word is not.
 */
export function readsMost(profile: Pick<EmbeddingProfile, 'reads'>, text: string): boolean {
  if (readsWhole(profile, text)) return true;
  const letters = text.normalize('NFKC').match(/\p{L}/gu) ?? [];
  const read = letters.filter((letter) => readsWhole(profile, letter));
  return read.length * 2 >= letters.length;
}

function findKnownModel(model: string): KnownModel | undefined {
  const bare = (model.toLowerCase().split('/').at(-1) ?? '').split(':')[0] ?? '';
  return KNOWN_MODELS.find(({ id, aliases }) => id === bare || aliases.includes(bare));
}
