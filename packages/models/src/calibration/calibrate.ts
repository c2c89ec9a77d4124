import type { EmbeddingProfile, SimilarityThresholds } from '../embedding/embedding-profiles.ts';
import type { TextRole } from '../embedding/embedding-source.ts';
import type { CalibrationPair, Language, PairKind } from './calibration-pair.ts';

export type MeasuredPair = CalibrationPair & Readonly<{ similarity: number }>;

/** The distribution of the similarities of one kind of pairs. */
type Distribution = Readonly<{
  language: Language;
  kind: PairKind;
  pairs: number;
  min: number;
  p5: number;
  median: number;
  p95: number;
  max: number;
}>;

export type Calibration = Readonly<{
  distributions: readonly Distribution[];
  thresholds: SimilarityThresholds;
  /** The rule behind each threshold, and its effect on the pairs. */
  explanations: Readonly<Record<keyof SimilarityThresholds, string>>;
  /** Kinds of pairs that overlap although they should not. */
  warnings: readonly string[];
}>;

/** Texts → vectors of length 1, in order. */
type Embed = (texts: readonly string[], as: TextRole) => Promise<readonly (readonly number[])[]>;

const KINDS: readonly PairKind[] = ['answers', 'same', 'different', 'related', 'unrelated'];
/** Share of the pairs that a threshold may miss. */
const MISSED = 0.05;
/**
 * Share of rewordings that may stay unrelated: they are then stored beside each other, which is better than missing
 * a contradiction.
 */
const MISSED_REWORDINGS = 0.25;
/** Above this similarity, texts are the same for any practical purpose. */
const HIGHEST_DUPLICATE = 0.999;
/** Margin for facts that are even more similar than those of the set. */
const DUPLICATE_MARGIN = 0.002;

/** Embeds the labelled pairs, questions as queries. Rejects with errors of the embedder. */
export async function measurePairs(pairs: readonly CalibrationPair[], embed: Embed): Promise<MeasuredPair[]> {
  const isQuery = (kind: PairKind, place: number) => kind === 'answers' && place === 0;
  const embedAll = async (as: TextRole) => {
    const wanted = pairs.flatMap(({ kind, texts }) =>
      texts.filter((_, place) => isQuery(kind, place) === (as === 'query')),
    );
    const texts = [...new Set(wanted)];
    const vectors = await embed(texts, as);
    return new Map(texts.map((text, index) => [text, vectors[index] ?? []]));
  };
  const passages = await embedAll('passage');
  const queries = await embedAll('query');
  return pairs.map((pair) => {
    const [left = [], right = []] = pair.texts.map(
      (text, place) => (isQuery(pair.kind, place) ? queries : passages).get(text) ?? [],
    );
    return { ...pair, similarity: left.reduce((sum, value, index) => sum + value * (right[index] ?? 0), 0) };
  });
}

/**
 * Chooses a model's thresholds from measured pairs of one language; names the rule of each, and warns where the
 * model cannot separate kinds that should differ. Pure.
 */
export function calibrate(measured: readonly MeasuredPair[], language: Language = 'en'): Calibration {
  const of = (kind: PairKind, from: Language = language) =>
    measured
      .filter((pair) => pair.kind === kind && pair.language === from)
      .map((pair) => pair.similarity)
      .toSorted((left, right) => left - right);
  const [answers, same, different, related, unrelated] = KINDS.map((kind) => of(kind)) as [
    number[],
    number[],
    number[],
    number[],
    number[],
  ];
  const thresholds: SimilarityThresholds = {
    minSimilarity: clamp(floorTo(afterLosing(answers, MISSED), 2), 0, 1),
    relatedSimilarity: clamp(
      floorTo(Math.min(afterLosing(different, MISSED), afterLosing(same, MISSED_REWORDINGS)), 2),
      0,
      1,
    ),
    duplicateSimilarity: clamp(
      ceilTo(Math.max(...different, ...related, ...unrelated) + DUPLICATE_MARGIN, 3),
      0,
      HIGHEST_DUPLICATE,
    ),
  };
  const { minSimilarity, relatedSimilarity, duplicateSimilarity } = thresholds;
  const at = (values: readonly number[], threshold: number) => percentAt(values, threshold);
  return {
    distributions: languagesOf(measured).flatMap((from) =>
      KINDS.map((kind) => distributionOf(from, kind, of(kind, from))),
    ),
    thresholds,
    explanations: {
      minSimilarity: `keeps at least 95 % of the facts that answer a question: ${at(answers, minSimilarity)}; lets in ${at(unrelated, minSimilarity)} of the unrelated pairs`,
      relatedSimilarity: `keeps at least 95 % of the contradictions and 75 % of the rewordings: ${at(different, relatedSimilarity)} and ${at(same, relatedSimilarity)}; lets in ${at(related, relatedSimilarity)} of facts that both hold`,
      duplicateSimilarity: `above every pair of different facts; lets in ${at(same, duplicateSimilarity)} of the rewordings`,
    },
    warnings: warningsOf(thresholds, of, language, languagesOf(measured)),
  };
}

function warningsOf(
  { minSimilarity, duplicateSimilarity }: SimilarityThresholds,
  of: (kind: PairKind, language: Language) => readonly number[],
  chosen: Language,
  languages: readonly Language[],
): string[] {
  const warnings: string[] = [];
  if (shareAt(of('unrelated', chosen), minSimilarity) > MISSED) {
    warnings.push(
      `Answers and unrelated texts overlap: ${percentAt(of('unrelated', chosen), minSimilarity)} of the unrelated pairs are at or above minSimilarity.`,
    );
  }
  if (shareAt(of('same', chosen), duplicateSimilarity) < 0.5) {
    warnings.push(
      `Rewordings and different facts overlap: only ${percentAt(of('same', chosen), duplicateSimilarity)} of the rewordings are at or above duplicateSimilarity. Deduplication by similarity will find little but repeated text.`,
    );
  }
  if (Math.max(...of('different', chosen)) >= HIGHEST_DUPLICATE) {
    warnings.push(
      'The model gives different facts the same vector: nothing can be told apart by similarity.',
    );
  }
  for (const language of languages.filter((other) => other !== chosen)) {
    const answers = of('answers', language);
    const different = [...of('different', language), ...of('unrelated', language)];
    if (shareAt(answers, minSimilarity) < 1 - 2 * MISSED) {
      warnings.push(`${language}: only ${percentAt(answers, minSimilarity)} of the answers are found.`);
    }
    if (shareAt(different, duplicateSimilarity) > 0) {
      warnings.push(
        `${language}: ${percentAt(different, duplicateSimilarity)} of the different facts would count as duplicates; the model does not read this language.`,
      );
    }
  }
  return warnings;
}

/** The profile with the measured thresholds. */
export function toProfile(profile: EmbeddingProfile, { thresholds }: Calibration): EmbeddingProfile {
  return {
    ...profile,
    ...thresholds,
    origin: { minSimilarity: 'measured', relatedSimilarity: 'measured', duplicateSimilarity: 'measured' },
  };
}

function languagesOf(pairs: readonly CalibrationPair[]): Language[] {
  return [...new Set(pairs.map((pair) => pair.language))];
}

function distributionOf(language: Language, kind: PairKind, sorted: readonly number[]): Distribution {
  const at = (share: number) => sorted[Math.round(share * (sorted.length - 1))] ?? Number.NaN;
  return {
    language,
    kind,
    pairs: sorted.length,
    min: at(0),
    p5: at(0.05),
    median: at(0.5),
    p95: at(0.95),
    max: at(1),
  };
}

/** The lowest remaining value after dropping at most this share of the values. */
function afterLosing(sorted: readonly number[], share: number): number {
  return sorted[Math.floor(share * sorted.length)] ?? 0;
}

function shareAt(values: readonly number[], threshold: number): number {
  return values.length === 0 ? 0 : values.filter((value) => value >= threshold).length / values.length;
}

function percentAt(values: readonly number[], threshold: number): string {
  return `${Math.round(shareAt(values, threshold) * 100)} %`;
}

function floorTo(value: number, decimals: number): number {
  return Math.floor(value * 10 ** decimals) / 10 ** decimals;
}

function ceilTo(value: number, decimals: number): number {
  return Math.ceil(value * 10 ** decimals) / 10 ** decimals;
}

function clamp(value: number, low: number, high: number): number {
  return Math.min(high, Math.max(low, value));
}
