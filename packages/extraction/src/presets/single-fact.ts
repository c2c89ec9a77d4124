import { standard } from './standard.ts';
import type { Preset } from './preset.ts';

/** Source B: after each reply, at most one fact of the last exchange, unless memories or documents have it. */
export const singleFact: Preset = {
  ...standard,
  name: 'single-fact',
  trigger: {
    scope: 'ephemeral',
    minTurns: 1,
    maxTurns: 1,
    quietGapS: 0,
    idleTimeoutS: 0,
    tokenCap: 0,
    dailyFlush: false,
  },
  transcript: 'pair',
  prompt: 'single-fact',
  reply: 'line',
  keepsOwnWords: false,
  reconcile: 'never',
  userSummary: 'none',
  retrieval: {
    ...standard.retrieval,
    mode: 'vector',
    channels: 'vector',
    limit: 5,
    recencyWeight: 0,
    collapse: false,
    turns: 'never',
    gate: false,
    expandsQuery: true,
    takesAllUpTo: 5,
    fallbackRecent: 10,
  },
  injection: { ...standard.injection, format: 'section', place: 'system', profile: 'beside' },
};
