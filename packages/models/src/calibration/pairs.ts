import type { CalibrationPair, Language, PairKind, PairsOfLanguage } from './calibration-pair.ts';
import { DE_PAIRS } from './de-pairs.ts';
import { EN_PAIRS } from './en-pairs.ts';
import { ZH_PAIRS } from './zh-pairs.ts';

const KINDS: readonly PairKind[] = ['answers', 'same', 'different', 'related', 'unrelated'];

/** The labelled pairs that thresholds are measured on. */
export const CALIBRATION_PAIRS: readonly CalibrationPair[] = [
  ...pairsOf('en', EN_PAIRS),
  ...pairsOf('de', DE_PAIRS),
  ...pairsOf('zh', ZH_PAIRS),
];

function pairsOf(language: Language, pairs: PairsOfLanguage): CalibrationPair[] {
  return KINDS.flatMap((kind) => pairs[kind].map((texts) => ({ kind, language, texts })));
}
