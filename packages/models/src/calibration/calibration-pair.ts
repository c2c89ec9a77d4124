/**
 * How the two texts of a pair relate.
 * - `answers`: a question and the stored fact that answers it, as a sentence or as `key: value`
 * - `same`: one fact in different words
 * - `different`: nearly the same words, another fact: a number, a name, a negation. Confusing them would lose a
 *   memory
 * - `related`: facts of one subject that both hold
 * - `unrelated`: nothing in common
 */
export type PairKind = 'answers' | 'same' | 'different' | 'related' | 'unrelated';

export type Language = 'en' | 'de' | 'zh';

export type CalibrationPair = Readonly<{
  kind: PairKind;
  language: Language;
  texts: readonly [string, string];
}>;

/** Pairs of one language, by how the texts relate. */
export type PairsOfLanguage = Readonly<Record<PairKind, readonly (readonly [string, string])[]>>;
