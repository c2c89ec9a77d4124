import { describe, expect, test } from '@jest/globals';
import type { Compression } from '@factmill/contracts';
import { type CompressionDecision, memoryIdsOf } from '@factmill/extraction';
import { renderDecisions, renderRun } from './render-compression.ts';

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

const RUN: Compression = {
  id: 'r',
  user_id: 'maya',
  kind: 'weekly',
  last_day: '2026-05-10',
  dry_run: false,
  state: 'done',
  counts: { added: 1, merged: 2, refused: 0 },
  error: null,
  created_at: '1970-01-01T00:00:00Z',
  finished_at: '1970-01-01T00:00:00Z',
};

test('decisions are a diff that names every memory', () => {
  const contents = new Map(memoryIdsOf(DECISIONS).map((id) => [id, `content of ${id}`]));
  contents.delete('q');
  expect([...contents.keys()].toSorted()).toEqual(['a', 'b', 'c', 'd', 'e', 'f', 'p']);
  expect(renderDecisions(DECISIONS, Object.fromEntries(contents))).toEqual([
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
    [
      { state: 'failed' as const, error: { class: 'bad_reply', message: '' } },
      'r\tmaya\tweekly\t2026-05-10\tfailed\tbad_reply',
    ],
    [
      { state: 'active' as const, dry_run: true, finished_at: null },
      'r\tmaya\tweekly\t2026-05-10\tactive (dry run)',
    ],
    [
      { state: 'pending' as const, error: { class: 'quota', message: '' }, finished_at: null },
      'r\tmaya\tweekly\t2026-05-10\tpending\tquota',
    ],
  ])('%j', (given, line) => {
    expect(renderRun({ ...RUN, ...given })).toBe(line);
  });
});
