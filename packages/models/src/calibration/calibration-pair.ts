/**
 * What the two texts of a pair have to do with each other.
 * - `answers`: a question and the stored fact that answers it, as a sentence or as `key: value`
 * - `same`: one fact, said twice in other words
 * - `different`: nearly the same words, another fact: a number, a name, a negation. Taking one for the other would
 *   lose a memory
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

/** Pairs of one language, by what the texts have to do with each other. */
export type PairsOfLanguage = Readonly<Record<PairKind, readonly (readonly [string, string])[]>>;
