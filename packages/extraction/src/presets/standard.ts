import type { Preset } from './preset.ts';

/**
 * The default: one call returns the user's facts, questions with answers and an event line; keyed facts replace
 * each other; similar memories are reconciled when their similarity makes a difference possible.
 */
export const standard: Preset = {
  name: 'standard',
  trigger: {
    scope: 'incremental',
    minTurns: 2,
    maxTurns: 20,
    quietGapS: 2,
    idleTimeoutS: 180,
    tokenCap: 4_000,
    dailyFlush: true,
  },
  transcript: 'user-only',
  maxTranscriptCharacters: 0,
  prompt: 'standard',
  reply: 'json',
  keepsOwnWords: true,
  keepsCredentials: false,
  unsupportedConfidence: 50,
  knownMemoryLimit: 8,
  showsDocuments: true,
  minNoteCharacters: 10,
  maxContentCharacters: 8_000,
  dedupBySimilarity: true,
  dedupByDocuments: true,
  reconcile: 'near',
  userSummary: 'composed',
  conversationSummary: false,
  maxEntries: 0,
  memoryScope: 'user',
  retrieval: {
    mode: 'fused',
    channels: 'of-mode',
    limit: 15,
    recencyWeight: 0.1,
    scoreThreshold: 0,
    mmrLambda: 1,
    collapse: true,
    tiers: 'knowledge-and-events',
    turns: 'compete',
    gate: true,
    expandsQuery: false,
    takesAllUpTo: 0,
    fallbackRecent: 0,
  },
  injection: { byDefault: false, limit: 5, format: 'augmented', place: 'message', profile: 'system' },
};
