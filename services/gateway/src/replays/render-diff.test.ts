import type { Memory, ReplayDiffItem } from '@factmill/contracts';
import { expect, test } from '@jest/globals';
import { renderDiff } from './render-diff.ts';

const memory = (fields: Partial<Memory>) =>
  ({ kind: 'fact', category: 'identity', key: 'home', content: 'Lives in Lisbon.', ...fields }) as Memory;

const item = (fields: Partial<ReplayDiffItem>): ReplayDiffItem => ({
  change: 'added',
  user_id: 'maya',
  fields: [],
  before: null,
  after: null,
  ...fields,
});

test('a diff is lines: how many of each, then what is added, changed and gone', () => {
  const data = [
    item({ after: memory({ kind: 'note', key: null, content: 'Sails\n\u001b[31mon Sundays.' }) }),
    item({
      change: 'changed',
      fields: ['content'],
      before: memory({ content: 'Lives in Berlin.' }),
      after: memory({}),
    }),
    item({
      change: 'changed',
      fields: ['category', 'tags'],
      before: memory({ category: 'general' }),
      after: memory({}),
    }),
    item({ change: 'gone', user_id: 'noah', before: memory({}) }),
  ];
  const counts = { added: 1, changed: 2, gone: 1, same: 7 };
  const lines = renderDiff({ counts, data, next_cursor: 'abc' }, true).split('\n');
  expect(lines).toEqual([
    '1 added, 2 changed, 1 gone, 7 same',
    '',
    '# maya',
    '+ [note identity] Sails [31mon Sundays.',
    '~ [fact identity home] Lives in Berlin. → Lives in Lisbon.',
    '~ [fact identity home] Lives in Lisbon. (category: general → identity, tags)',
    '# noah',
    '- [fact identity home] Lives in Lisbon.',
    '… more with cursor=abc',
    '',
  ]);
  expect(renderDiff({ counts, data: [], next_cursor: null }, false)).toBe(
    '1 added, 2 changed, 1 gone, 7 same\n',
  );
});
