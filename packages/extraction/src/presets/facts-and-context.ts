import { standard } from './standard.ts';
import type { Preset } from './preset.ts';

/** Source A: user messages only, keyed facts and questions with answers, by turn count and idle timeout. */
export const factsAndContext: Preset = {
  ...standard,
  name: 'facts-and-context',
  trigger: {
    scope: 'incremental',
    minTurns: 2,
    maxTurns: 20,
    quietGapS: 0,
    idleTimeoutS: 180,
    tokenCap: 0,
    dailyFlush: false,
  },
  prompt: 'facts-and-context',
  showsDocuments: false,
  dedupBySimilarity: false,
  dedupByDocuments: false,
  reconcile: 'never',
  userSummary: 'none',
  retrieval: { ...standard.retrieval, turns: 'never', gate: false },
  injection: { ...standard.injection, format: 'facts', place: 'postfix', profile: 'beside' },
};
