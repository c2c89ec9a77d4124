const PRESETS = 'packages/extraction/src/presets';
const CONTEXT = 'services/retrieval/src/context';
const NUMBERS = ['packages/search/src/settings.test.ts'];

/**
 * An edit of a preset, which the walk through its source has to notice.
 * @param {string} preset
 * @param {string} name
 * @param {string} search
 * @param {string} replace
 * @param {readonly string[]} [tests]
 * @returns {import('./mutation.mjs').Mutation}
 */
const inPreset = (preset, name, search, replace, tests = [`test/sources/${preset}.e2e.test.ts`]) => ({
  name: `${preset}: ${name}`,
  file: `${PRESETS}/${preset}.ts`,
  search,
  replace,
  tests,
});

const A = 'facts-and-context';
const B = 'single-fact';
const C = 'tiered';
const D = 'categorised';
const E = 'reconciled';

/** @type {readonly import('./mutation.mjs').Mutation[]} */
export const presets = [
  inPreset(A, 'a gate stands before the search', 'gate: false', 'gate: true'),
  inPreset(A, 'turns compete', "turns: 'never'", "turns: 'compete'"),
  inPreset(A, 'a section, not facts and context', "format: 'facts'", "format: 'section'"),
  inPreset(A, 'in the place of the message', "place: 'postfix'", "place: 'message'"),
  inPreset(A, 'a system message has the profile', "profile: 'beside'", "profile: 'system'"),
  inPreset(A, 'extracted after 18 s', 'idleTimeoutS: 180', 'idleTimeoutS: 18'),

  inPreset(B, 'words are asked as well', "channels: 'vector'", "channels: 'of-mode'"),
  inPreset(B, 'fused', "mode: 'vector'", "mode: 'fused'"),
  inPreset(B, 'six results', 'limit: 5,', 'limit: 6,'),
  inPreset(B, 'the same words count once', 'collapse: false', 'collapse: true'),
  inPreset(B, 'turns compete', "turns: 'never'", "turns: 'compete'"),
  inPreset(B, 'a gate stands before the search', 'gate: false', 'gate: true'),
  inPreset(B, 'personal questions are searched as they are', 'expandsQuery: true', 'expandsQuery: false'),
  inPreset(B, 'a search with five memories', 'takesAllUpTo: 5', 'takesAllUpTo: 4'),
  inPreset(B, 'no search with six memories', 'takesAllUpTo: 5', 'takesAllUpTo: 6'),
  inPreset(B, 'nine of the latest', 'fallbackRecent: 10', 'fallbackRecent: 9'),
  inPreset(B, 'another format', "format: 'section'", "format: 'augmented'"),
  inPreset(B, 'in the place of the message', "place: 'system'", "place: 'message'"),
  inPreset(B, 'a system message of its own for the profile', "profile: 'beside'", "profile: 'system'"),

  inPreset(C, 'not classic', "mode: 'classic'", "mode: 'vector'"),
  inPreset(C, 'four results', 'limit: 5,', 'limit: 4,'),
  inPreset(C, 'events are in chats', "tiers: 'knowledge'", "tiers: 'knowledge-and-events'"),
  inPreset(C, 'extracted after 30 s', 'quietGapS: 60', 'quietGapS: 30'),
  inPreset(C, 'recency counts', 'recencyWeight: 0,', 'recencyWeight: 0.1,', NUMBERS),
  ...[
    ['four memories in a chat', 'limit: 5, format', 'limit: 4, format'],
    ['no gate', 'gate: true', 'gate: false'],
    ['knowledge is in a system message', "place: 'message'", "place: 'system'"],
    ['the profile is with the knowledge', "profile: 'system'", "profile: 'beside'"],
  ].map(([name = '', search = '', replace = '']) => ({
    ...inPreset('standard', name, search, replace, [`test/sources/${C}.e2e.test.ts`]),
  })),

  inPreset(D, 'classic', "mode: 'vector'", "mode: 'classic'"),
  inPreset(D, 'a section, not the narrative', "format: 'summary'", "format: 'section'"),
  inPreset(D, 'in the place of the message', "place: 'system'", "place: 'message'"),
  inPreset(D, 'a system message of its own for the profile', "profile: 'beside'", "profile: 'system'"),
  inPreset(D, 'calls of tools are not read', "transcript: 'full'", "transcript: 'pair'"),

  inPreset(E, 'vectors, then words', "mode: 'enhanced'", "mode: 'vector'"),
  inPreset(E, 'four results', 'limit: 5,', 'limit: 4,'),
  inPreset(E, 'the same words count once', 'collapse: false', 'collapse: true'),
  inPreset(E, 'a gate stands before the search', 'gate: false', 'gate: true'),
  inPreset(E, 'off unless it is asked for', 'byDefault: true', 'byDefault: false', [
    'services/gateway/src/chat/presets-of-chats.int.test.ts',
  ]),
  inPreset(E, 'a system message of its own for the profile', "profile: 'beside'", "profile: 'system'"),
  inPreset(E, 'one memory for all conversations', "memoryScope: 'conversation'", "memoryScope: 'user'"),
  inPreset(E, 'nothing is reconciled', "reconcile: 'always'", "reconcile: 'never'"),
  inPreset(E, 'no rolling summary', 'conversationSummary: true', 'conversationSummary: false'),
  inPreset(E, 'recency has a third', 'recencyWeight: 0.2', 'recencyWeight: 0.3', NUMBERS),
  inPreset(E, 'a threshold of 0.3', 'scoreThreshold: 0.35', 'scoreThreshold: 0.3', NUMBERS),
  inPreset(E, 'less diversity', 'mmrLambda: 0.7', 'mmrLambda: 1', NUMBERS),
  {
    name: 'enhanced: no diversity',
    file: 'packages/search/src/settings.ts',
    search: 'mmrLambda: 0.7,',
    replace: 'mmrLambda: 1,',
    tests: [`test/sources/${E}.e2e.test.ts`],
  },
  {
    name: 'enhanced: recency has half of the score',
    file: 'packages/search/src/settings.ts',
    search: 'recencyWeight: 0.2,',
    replace: 'recencyWeight: 0.5,',
    tests: [`test/sources/${E}.e2e.test.ts`],
  },
  ...[
    ['## Relevant memory', B],
    ['## About the user', C],
    ['## What I remember about the user', D],
    ['Conversation summary:', E],
    ['Long-term memory (most relevant first):', E],
  ].map(([title = '', preset]) => ({
    name: `another title than ${title}`,
    file: 'packages/ranking/src/context/context-block.ts',
    search: title,
    replace: '## Memory',
    tests: [`test/sources/${preset}.e2e.test.ts`],
  })),
  {
    name: 'a chat does not see the turns of global',
    file: `${CONTEXT}/load-context.ts`,
    search: 'scopes: [conversationId, GLOBAL_SCOPE]',
    replace: 'scopes: [conversationId]',
    tests: [`test/sources/${E}.e2e.test.ts`],
  },
  {
    name: 'a memory is injected into the chat that it was learned from',
    file: 'packages/search/src/target.ts',
    search: 'value: toTurnValue(besidesTurn) ?? undefined',
    replace: 'value: undefined',
    tests: [`test/sources/${E}.e2e.test.ts`],
  },
  {
    name: 'a summary of the message alone is injected',
    file: `${CONTEXT}/load-context.ts`,
    search: 'request.conversation_id, request.turn_id)',
    replace: 'request.conversation_id)',
    tests: [`test/sources/${E}.e2e.test.ts`],
  },
  {
    name: 'a failed search brings as many of the latest as a search has results',
    file: `${CONTEXT}/load-context.ts`,
    search:
      "if (mode === 'recent' && settings.fallbackRecent > 0) return { hits: [], degraded, query, explain };",
    replace: '',
    tests: [`test/sources/${B}.e2e.test.ts`],
  },
];
