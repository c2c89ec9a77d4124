import { standard } from './standard.ts';
import type { Preset } from './preset.ts';

/** Source E: after each turn the facts of the latest user message, reconciled with their neighbours by the model. */
export const reconciled: Preset = {
  ...standard,
  name: 'reconciled',
  trigger: {
    scope: 'ephemeral',
    minTurns: 1,
    maxTurns: 1,
    quietGapS: 0,
    idleTimeoutS: 0,
    tokenCap: 0,
    dailyFlush: false,
  },
  prompt: 'reconciled',
  knownMemoryLimit: 0,
  showsDocuments: false,
  dedupBySimilarity: false,
  dedupByDocuments: false,
  reconcile: 'always',
  userSummary: 'none',
  conversationSummary: true,
  maxEntries: 500,
  memoryScope: 'conversation',
  retrieval: {
    ...standard.retrieval,
    mode: 'enhanced',
    limit: 5,
    recencyWeight: 0.2,
    scoreThreshold: 0.35,
    mmrLambda: 0.7,
    collapse: false,
    gate: false,
  },
  injection: { ...standard.injection, byDefault: true, profile: 'beside' },
};
