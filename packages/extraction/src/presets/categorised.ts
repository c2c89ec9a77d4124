import { standard } from './standard.ts';
import type { Preset } from './preset.ts';

/** Source D: whole conversations with their tool calls, once they are stale; categorised facts and a narrative. */
export const categorised: Preset = {
  ...standard,
  name: 'categorised',
  trigger: {
    scope: 'incremental',
    minTurns: 0,
    maxTurns: 0,
    quietGapS: 1_800,
    idleTimeoutS: 1_800,
    tokenCap: 0,
    dailyFlush: false,
  },
  transcript: 'full',
  maxTranscriptCharacters: 12_000,
  prompt: 'categorised',
  unsupportedConfidence: 70,
  showsDocuments: false,
  dedupBySimilarity: false,
  dedupByDocuments: false,
  reconcile: 'never',
  userSummary: 'model',
  retrieval: {
    ...standard.retrieval,
    mode: 'vector',
    recencyWeight: 0,
    collapse: false,
    turns: 'never',
    gate: false,
  },
  injection: { ...standard.injection, format: 'summary', place: 'system', profile: 'beside' },
};
