import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { RawCandidate } from '../types.ts';
import { parseReply } from './parse-reply.ts';
import { serializeReply } from './serialize-reply.ts';

const fragment = fc.constantFrom(
  '{', '}', '[', ']', '"', "'", ',', ':', '\\', '\n', ' ', '```json', '```', '<think>', '</think>', 'null', 'NONE', 'true', '12.5',
  '"facts"', '"context"', '"key"', '"value"', '"q"', '"a"', '"content"', '"kind"', '"tags"', '{"facts": {', '"context": [', '\\u00e9',
  '\\ud83d', '\u0000', '"name": "Ana"', '"q": "Where?", "a": "Here"', '"__proto__"', '"message_id": "m1"', 'é', '名前',
  '//', '/*', '*/', '“', '”', '...', '"event":', '"project": "p"', "{'facts': {'a': True}}", '{"result":', '"{\\"facts\\": [\\"a b\\"]}"', 'The user is here.',
); // prettier-ignore
const mess = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.array(fc.oneof(fragment, fc.string()), { maxLength: 60 }).map((parts) => parts.join('')),
  fc.json(),
);

function stringsOf(item: RawCandidate): string[] {
  const { tags, messageIds, kind: _kind, ...rest } = item;
  return [...tags, ...messageIds, ...Object.values(rest)].filter((text) => text !== null);
}

/** Letters and digits only, escapes decoded: what must be found again, however it was quoted. */
function bare(text: string): string {
  return text
    .replaceAll(/\\u([0-9a-fA-F]{4})|\\([\s\S])/g, (_whole, hex?: string, character?: string) =>
      hex === undefined
        ? 'nrtbf'.includes(character ?? '')
          ? ''
          : (character ?? '')
        : String.fromCharCode(Number.parseInt(hex, 16)),
    )
    .toWellFormed()
    .replaceAll(/[^\p{L}\p{N}]/gu, '');
}

describe('parseReply', () => {
  test('never throws, never invents, and is silent about nothing', () => {
    fc.assert(
      fc.property(mess, fc.boolean(), (raw, allowLine) => {
        const parsed = parseReply(raw, { allowLine });
        const input = bare(raw);
        const plain = raw.replaceAll('\u0000', '').toWellFormed();
        for (const text of parsed.candidates.flatMap((item) => stringsOf(item))) {
          const found =
            plain.includes(text) ||
            text.split(', ').every((part) => input.includes(bare(part.replaceAll('\\', '\\\\'))));
          expect({ text, found }).toEqual({ text, found: true });
          expect(text).toBe(text.trim().toWellFormed());
          expect(text).not.toContain('\u0000');
        }
        if (parsed.status === 'ok') expect(parsed.candidates.length).toBeGreaterThan(0);
        if (parsed.status === 'empty' || parsed.status === 'invalid') expect(parsed.candidates).toEqual([]);
      }),
      { numRuns: 1_000 },
    );
  });

  test('reads its own output back to the same items', () => {
    fc.assert(
      fc.property(mess, (raw) => {
        const { candidates } = parseReply(raw);
        const again = parseReply(serializeReply(candidates));
        expect(again).toEqual({ status: candidates.length > 0 ? 'ok' : 'empty', candidates, rejected: [] });
      }),
      { numRuns: 1_000 },
    );
  });

  test('reads every well-formed reply completely', () => {
    const text = fc
      .string({ unit: 'grapheme', minLength: 1, maxLength: 40 })
      .filter((value) => value.replaceAll('\u0000', '').toWellFormed().trim() === value);
    fc.assert(
      fc.property(
        fc.dictionary(
          text.map((key) => `k${key}`),
          text,
        ),
        fc.array(fc.record({ q: text, a: text })),
        (facts, context) => {
          const parsed = parseReply(
            `Here:\n\`\`\`json\n${JSON.stringify({ facts, context }, null, 2)}\n\`\`\``,
          );
          expect(
            parsed.candidates.map((item) => [item.key ?? item.question, item.value ?? item.answer]),
          ).toEqual([...Object.entries(facts), ...context.map(({ q, a }) => [q, a])]);
        },
      ),
    );
  });

  test.each([
    ['standard', (text: string) => ({ facts: [{ category: 'work', key: `k${text}`, value: text }], context: [{ q: text, a: text }], event: text })],
    ['facts-and-context', (text: string) => ({ facts: { [`k${text}`]: text }, context: [{ q: text, a: text }] })],
    ['tiered', (text: string) => ({ facts: [{ project: text, topic: text, category: 'config', content: text, importance: 0.5 }], event: text })],
    ['categorised', (text: string) => [{ category: 'work', key: `k${text}`, value: text, source: 'tool_call', source_context: text }]],
    ['reconciled', (text: string) => ({ facts: [`The ${text}`] })],
  ])('%s: what is in the reply is in the result, however the reply is quoted and wherever it is cut', (_name, toReply) => {
    fc.assert(
      fc.property(
        fc.stringMatching(/^[a-zé名]{2,12}( [a-z']{2,8})?$/).filter((text) => !/^(?:none|nothing|null|nil|undefined|n\/a)$/i.test(text)),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (text, share) => {
          const whole = JSON.stringify(toReply(text));
          const parsed = parseReply(whole);
          expect(parsed).toMatchObject({ status: 'ok', rejected: [] });
          for (const written of [JSON.stringify(whole), `Sure:\n\`\`\`json\n${whole}\n\`\`\``, `<think>${whole}</think>${whole}`, `{"result": ${whole}}`])
            expect(parseReply(written)).toEqual(parsed);
          const cut = parseReply(whole.slice(0, Math.floor(whole.length * share)));
          expect(parsed.candidates).toEqual(expect.arrayContaining(cut.candidates));
        },
      ),
    );
  }); // prettier-ignore

  test('keeps the complete items of a reply that is cut anywhere', () => {
    const items = [
      { key: 'name', value: 'Ana "the" Great' },
      { q: 'Where?', a: 'In {Oslo}, [Norway]' },
      { content: 'The user went to Rome.' },
    ];
    const whole = JSON.stringify({ facts: items });
    for (let length = 0; length < whole.length; length += 1) {
      const parsed = parseReply(whole.slice(0, length));
      const complete = items.filter((item) => whole.slice(0, length).includes(JSON.stringify(item))).length;
      expect(parsed.candidates).toHaveLength(complete);
      if (length > 10) expect(parsed.status).toBe('truncated');
    }
    expect(parseReply(whole).status).toBe('ok');
  });
});

describe('time and depth', () => {
  const megabyte = (unit: string): string => unit.repeat(Math.ceil(1_000_000 / unit.length));
  test.each([
    '[', '{', '<think>', '</think>', '<think></think>', '{"a":', '["', "['", '" ', '[]', '{}', '[]x]', '{"a" ', '\\', '{"a":"b"}', '[word',
    '{"facts":{"a":"b"}}', '</think>{', '[{"', '{a', '```', ' ', 'a ', '{//', '{/*', '"/*', '["/*",', '{"a"/**/:', '“', '{“', '{...', '{"a":{"b":"{"}}', '{"a":"{}"}',
  ])('a megabyte of %j', (unit) => {
    const before = process.cpuUsage();
    expect(['empty', 'invalid', 'truncated', 'ok']).toContain(parseReply(megabyte(unit), { allowLine: true }).status);
    expect(process.cpuUsage(before).user / 1_000).toBeLessThan(5_000);
  }); // prettier-ignore

  test('nesting that closes with garbage', () => {
    const before = process.cpuUsage();
    expect(parseReply(`${'['.repeat(250_000)}${']x'.repeat(250_000)}`).status).toBe('truncated');
    expect(process.cpuUsage(before).user / 1_000).toBeLessThan(5_000);
  });

  test('deep nesting is refused, what stands beside it is kept', () => {
    const deep = `${'['.repeat(50_000)}${']'.repeat(50_000)}`;
    const parsed = parseReply(`{"facts": {"a": ${deep}, "b": "c"}}`);
    expect(parsed.candidates.map((item) => item.value)).toEqual(['c']);
    expect(parsed.rejected).toEqual([{ reason: 'nested_value', count: 1 }]);
  });
});
