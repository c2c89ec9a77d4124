import { describe, expect, test } from '@jest/globals';
import type { CompressionRun } from '@factmill/database';
import type { CompressionDecision } from '@factmill/extraction';
import { memoryIdsOf, renderDecisions, renderRun } from './render-compression.ts';

const DECISIONS: readonly CompressionDecision[] = [
  { op: 'fact', text: 'A fact.', key: null, value: null, category: null, from: ['e'] },
  { op: 'merge', text: 'Merged\ntext.', project: null, topic: null, from: ['a', 'b'] },
  { op: 'collapse', into: 'c', from: ['d'] },
  { op: 'profile_add', text: 'A line.', category: null, from: ['a'] },
  { op: 'profile_update', id: 'p', text: 'New wording.', from: ['a'] },
  { op: 'promote', id: 'q' },
  { op: 'archive', id: 'f', reason: 'faded' },
  { op: 'compressed', ids: ['e'] },
];

const RUN: CompressionRun = {
  id: 'r',
  tenantId: 't',
  userId: 'maya',
  kind: 'weekly',
  period: '2026-05-10',
  dryRun: false,
  state: 'done',
  attempts: 1,
  generation: 0,
  decisions: null,
  counts: { added: 1, merged: 2, refused: 0 },
  errorClass: null,
  errorMessage: null,
  modelCalls: 1,
  promptTokens: 1,
  completionTokens: 1,
  modelMs: 1,
  createdAt: new Date(0),
  nextAttemptAt: null,
  startedAt: null,
  finishedAt: new Date(0),
};

test('decisions are a diff that names every memory', () => {
  const contents = new Map(memoryIdsOf(DECISIONS).map((id) => [id, `content of ${id}`]));
  contents.delete('q');
  expect([...contents.keys()].toSorted()).toEqual(['a', 'b', 'c', 'd', 'e', 'f', 'p']);
  expect(renderDecisions(DECISIONS, contents)).toEqual([
    '+ A fact.  from [e]',
    '+ Merged text.',
    '  - [a] content of a',
    '  - [b] content of b',
    '  [c] content of c',
    '  - [d] content of d',
    '+ profile: A line.  from [a]',
    '~ profile: [p] content of p',
    '         to: New wording.',
    '~ becomes profile: [q] (deleted)',
    '- faded: [f] content of f',
    '= compressed: [e] content of e',
  ]);
});

describe('renderRun', () => {
  test.each([
    [{}, 'r\tmaya\tweekly\t2026-05-10\tdone\t1 added, 2 merged'],
    [{ counts: {} }, 'r\tmaya\tweekly\t2026-05-10\tdone\tnothing to do'],
    [{ state: 'failed' as const, errorClass: 'bad_reply' }, 'r\tmaya\tweekly\t2026-05-10\tfailed\tbad_reply'],
    [
      { state: 'active' as const, dryRun: true, finishedAt: null },
      'r\tmaya\tweekly\t2026-05-10\tactive (dry run)',
    ],
    [
      { state: 'pending' as const, errorClass: 'quota', finishedAt: null },
      'r\tmaya\tweekly\t2026-05-10\tpending\tquota',
    ],
  ])('%j', (given, line) => {
    expect(renderRun({ ...RUN, ...given })).toBe(line);
  });
});
