import type { VersionedMemory } from '@factmill/database';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { isProblem, parseFile } from './file-fields.ts';
import { renderFile } from './render-file.ts';
import { toPatch } from './to-memory.ts';

const at = new Date('2026-11-20T10:00:00.123Z');

const row: VersionedMemory = {
  id: '0192f0c5-0000-7000-8000-000000000001',
  userId: 'alice',
  tier: 2,
  kind: 'note',
  category: 'general',
  key: null,
  value: null,
  content: 'Likes tea.',
  question: null,
  answer: null,
  tags: [],
  project: null,
  topic: null,
  importance: 0.5,
  confidence: 80,
  source: 'user',
  sourceContext: null,
  conversationId: '',
  statedAt: at,
  createdAt: at,
  updatedAt: at,
  lastAccessedAt: null,
  accessCount: 0,
  expiresAt: null,
  validFrom: at,
  validTo: null,
  archivedAt: null,
  deletedAt: null,
  supersededBy: null,
  extractionId: null,
  messageIds: [],
  channel: null,
  sender: null,
  eventDate: null,
  sourceTokens: null,
  lastVerifiedAt: null,
  metadata: {},
  version: 1,
};

/** Text as Postgres can hold it, with what YAML could take for its own. */
const text = fc
  .oneof(
    fc.string({ minLength: 1, maxLength: 80, unit: 'grapheme' }),
    fc.constantFrom(
      '---',
      'a: b',
      '- x',
      '# no comment',
      '2024-01-01',
      'yes',
      '~',
      '0x1f',
      'null',
      '"',
      '|',
      '&a *b',
      '...',
    ),
    fc
      .array(fc.constantFrom('---', 'a: b', '', '  x', '...', '# y'), { minLength: 1 })
      .map((lines) => lines.join('\n')),
  )
  .filter((value) => value.trim() !== '' && !value.includes('\u0000') && value.isWellFormed());
const name = text.filter((value) => !/\p{Cc}/u.test(value));
const metadata = fc.dictionary(name, fc.jsonValue({ maxDepth: 2 }), {
  noNullPrototype: true,
}) as fc.Arbitrary<Record<string, unknown>>;

const memory: fc.Arbitrary<VersionedMemory> = fc
  .record({
    content: text,
    tags: fc.array(name, { maxLength: 3 }),
    category: name,
    project: fc.option(name),
    topic: fc.option(name),
    sourceContext: fc.option(text),
    key: fc.option(name),
    importance: fc.integer({ min: 0, max: 1_000 }).map((thousandths) => thousandths / 1_000),
    expiresAt: fc.option(fc.constant(new Date('2030-01-01T00:00:00.000Z'))),
    metadata,
  })
  .map((fields) => ({
    ...row,
    ...fields,
    ...(fields.key === null ? {} : { kind: 'fact' as const, value: fields.content }),
  }));

describe('the file of a memory', () => {
  test('says the memory: reading it again changes nothing', () => {
    fc.assert(
      fc.property(memory, (given) => {
        const parsed = parseFile(renderFile(given, null));
        if (isProblem(parsed)) throw new Error(parsed.problem);
        expect(toPatch(parsed.fields, given)).toBeNull();
        expect(parsed.fields.text.id).toBe(given.id);
        expect(parsed.fields.numbers.version).toBe(1);
      }),
    );
  });

  test('written over the file of another version, it says the new one and keeps the rest', () => {
    fc.assert(
      fc.property(memory, memory, (before, after) => {
        const edited = renderFile(before, null).replace('---\n', '---\n# a comment\nmine: [1, two] # kept\n');
        const parsed = parseFile(edited);
        if (isProblem(parsed)) throw new Error(parsed.problem);
        const next = { ...after, key: before.key, kind: before.kind, value: before.value, version: 2 };
        const written = renderFile(next, parsed);
        expect(written).toContain('# a comment\nmine: [ 1, two ] # kept\n');
        const again = parseFile(written);
        if (isProblem(again)) throw new Error(again.problem);
        expect(toPatch(again.fields, next)).toBeNull();
      }),
    );
  });

  test('line ends and empty lines around the text are no edit', () => {
    const file = renderFile({ ...row, content: 'One.\nTwo.' }, null);
    for (const variant of [file.replaceAll('\n', '\r\n'), `\uFEFF${file}`, `${file}\n\n`, file.trimEnd()]) {
      const parsed = parseFile(variant);
      if (isProblem(parsed)) throw new Error(parsed.problem);
      expect(toPatch(parsed.fields, { ...row, content: 'One.\nTwo.' })).toBeNull();
    }
  });

  test('never throws, whatever a file holds', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (content) => void parseFile(content)),
    );
    fc.assert(
      fc.property(
        fc.string({
          unit: fc.constantFrom('-', ':', '\n', ' ', '[', '{', '&', '*', '!', '|', 'a'),
          maxLength: 60,
        }),
        (yaml) => {
          void parseFile(`---\n${yaml}\n---\nx`);
        },
      ),
    );
  });

  test('deep nesting and references are refused', () => {
    const deep = parseFile(`---\na: ${'['.repeat(5_000)}${']'.repeat(5_000)}\n---\nx`);
    expect(isProblem(deep)).toBe(true);
    expect(parseFile('---\na: &a [1]\nb: [*a, *a]\n---\nx')).toEqual({
      problem: 'the front matter has a reference (*), which is not read',
    });
  });
});
