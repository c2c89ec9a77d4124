import { describe, expect, test } from '@jest/globals';
import { splitMarkdown } from './split-markdown.ts';

const entries = (text: string, maxLength = 8_000) =>
  splitMarkdown(text, maxLength).map(({ heading, text: entry }) => `${heading ?? '-'} | ${entry}`);

describe('splitMarkdown', () => {
  test.each<[string, string, string[]]>([
    ['nothing', '', []],
    ['paragraphs', 'One.\n\nTwo\ngoes on.', ['- | One.', '- | Two\ngoes on.']],
    [
      'items of a list',
      '# Home\n\n- Lives in Lisbon\n- Owns a cat',
      ['Home | Lives in Lisbon', 'Home | Owns a cat'],
    ],
    ['numbered items', '1. First\n2. Second', ['- | First', '- | Second']],
    ['what belongs to an item', '- Tea:\n  - oolong\n  - mint', ['- | Tea:\n- oolong\n- mint']],
    ['headings', '# A\nx\n## B\ny\n# C\nz', ['A | x', 'B | y', 'C | z']],
    ['quotes and code', '> Said.\n\n```sh\nls\n```', ['- | Said.', '- | ls']],
    ['front matter, rules, comments', '---\nkind: x\n---\nKept.\n\n---\n\n<!-- note -->\n', ['- | Kept.']],
    ['Windows', '# A\r\n\r\n- x\r\n- y\r\n', ['A | x', 'A | y']],
    ['tasks', '- [ ] Buy tea\n- [x] Sell boat', ['- | Buy tea', '- | Sell boat']],
  ])('%s', (_what, text, expected) => {
    expect(entries(text)).toEqual(expected);
  });

  test('a text that is too long is cut at white space, and nothing of it is lost', () => {
    const words = Array.from({ length: 50 }, (_, index) => `word${index}`).join(' ');
    const parts = splitMarkdown(words, 60).map(({ text }) => text);
    expect(parts.every((part) => part.length <= 60)).toBe(true);
    expect(parts.join(' ')).toBe(words);
    expect(splitMarkdown('x'.repeat(130), 60).map(({ text }) => text.length)).toEqual([60, 60, 10]);
  });
});
