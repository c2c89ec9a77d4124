import { standard } from './standard.ts';
import type { Preset } from './preset.ts';

/** Source C: after a quiet gap, at a token cap or once a day; facts and an event line, compressed later. */
export const tiered: Preset = {
  ...standard,
  name: 'tiered',
  trigger: {
    scope: 'incremental',
    minTurns: 1,
    maxTurns: 20,
    quietGapS: 60,
    idleTimeoutS: 0,
    tokenCap: 2_000,
    dailyFlush: true,
  },
  transcript: 'pair',
  prompt: 'tiered',
  keepsCredentials: true,
  showsDocuments: false,
  dedupByDocuments: false,
  reconcile: 'never',
  userSummary: 'none',
  retrieval: {
    ...standard.retrieval,
    mode: 'classic',
    limit: 5,
    recencyWeight: 0,
    tiers: 'knowledge',
    turns: 'never',
  },
};
