import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { extractFromMessages, extractInTurns } from './extract.ts';
import { parseReply } from '@factmill/extraction';
import { MAX_MESSAGE_CHARACTERS, toParagraphs } from './clean-text.ts';

const words = fc.constantFrom(
  'I', 'my', 'we', 'our', "I'm", "I've", 'me', 'myself', 'mine', 'us', 'live', 'in', 'Berlin', 'am', 'have', 'a', 'dog', 'called', 'Rex', 'and',
  'sister', 'Mary', 'went', 'to', 'yesterday', 'last', 'year', 'next', 'Friday', 'love', 'hate', 'not', "don't", 'work', 'as', 'at', 'nurse', ',', '.',
  '!', 'is', 'was', 'moved', 'because', 'who', 'with', 'allergic', 'nuts', 'on', '7', 'May', '2023', 'favourite', 'colour', 'blue', 'planning', 'the',
  'years', 'ago', 'three', '"', '(', '\n',
); // prettier-ignore
const chat = fc.array(words, { maxLength: 40 }).map((parts) => parts.join(' '));
const content = fc.oneof(chat, fc.string({ unit: 'binary', maxLength: 300 }), fc.lorem());
const date = fc.oneof(fc.date({ noInvalidDate: false }), fc.constant(new Date('2023-05-08T12:00:00Z')));

function extract(text: string, createdAt: Date, name?: string): string {
  const message = { id: 'm1', seq: 1, role: 'user' as const, content: text, createdAt };
  return extractFromMessages([name === undefined ? message : { ...message, name }]);
}

describe('extractFromMessages', () => {
  test('never throws, is deterministic, and its reply is read back whole', () => {
    fc.assert(
      fc.property(content, date, fc.option(fc.string(), { nil: undefined }), (text, createdAt, name) => {
        const reply = extract(text, createdAt, name);
        expect(extract(text, createdAt, name)).toBe(reply);
        const parsed = parseReply(reply);
        expect(['ok', 'empty']).toContain(parsed.status);
        expect(parsed.rejected).toEqual([]);
        expect(parsed.candidates).toHaveLength((JSON.parse(reply) as { facts: unknown[] }).facts.length);
      }),
      { numRuns: 300 },
    );
  });

  test('leaves no first person behind, and every fact names its speaker', () => {
    fc.assert(
      fc.property(chat, (text) => {
        for (const item of parseReply(extract(text, new Date('2023-05-08T12:00:00Z'))).candidates) {
          expect(item.content).not.toMatch(/\b(?:I|me|my|mine|myself|we|our|us)\b/i);
          expect(item.content).toMatch(/the user/i);
          // A number or a quotation begins a sentence as well as a capital does.
          expect(item.content).toMatch(/^\P{Ll}.*\.$/su);
        }
      }),
      { numRuns: 500 },
    );
  });
});

describe('a conversation of two', () => {
  const line = fc.tuple(fc.constantFrom('Ann', 'Bob'), fc.oneof(chat, content));

  test('never throws, and speaks of its speakers in the third person', () => {
    fc.assert(
      fc.property(fc.array(line, { maxLength: 4 }), (lines) => {
        const messages = lines.map(([name, text], seq) => ({
          id: `m${seq}`,
          seq,
          role: 'user' as const,
          name,
          content: text,
          createdAt: new Date('2023-05-08T12:00:00Z'),
        }));
        const parsed = parseReply(extractFromMessages(messages));
        expect(parsed.rejected).toEqual([]);
        for (const item of parsed.candidates) {
          expect(item.content).not.toMatch(/\b(?:I|me|my|mine|myself|we|our|us)\b/i);
          expect(item.content).toMatch(/ann|bob/i);
          expect(item.content).toMatch(/^\P{Ll}.*[.:?]/su);
        }
      }),
      { numRuns: 300 },
    );
  });
});

describe('long messages', () => {
  test('are cut at the end of a sentence', () => {
    const sentences = toParagraphs('I live in Ulm and I like it. '.repeat(1_000)).flat();
    expect(sentences.join(' ').length).toBeLessThanOrEqual(MAX_MESSAGE_CHARACTERS);
    expect(new Set(sentences)).toEqual(new Set(['I live in Ulm and I like it.']));
  });

  test.each([
    'I ',
    'my ',
    'really ',
    'and I ',
    '"',
    'I am a ',
    'my sister ',
    ', ',
    '1 ',
    '- ',
    'last ',
    'a',
    '[facts: ',
    'May ',
    '. I ',
  ])('of nothing but %j take bounded time', (unit) => {
    extract('I live in Ulm.', new Date(0));
    const before = process.cpuUsage();
    extract(unit.repeat(Math.ceil(1_000_000 / unit.length)), new Date(0));
    // CPU time: what else the machine does is not counted. A quadratic rule takes minutes.
    expect(process.cpuUsage(before).user / 1_000).toBeLessThan(6_000);
  });

  test('leave turns to others, and come to the same reply', async () => {
    const content =
      'My brother Tom works as a nurse in Oslo. I like tea, and I moved to Lisbon last year. '.repeat(90);
    const message = {
      id: 'm1',
      seq: 1,
      role: 'user' as const,
      content,
      createdAt: new Date('2023-05-08T12:00:00Z'),
    };
    let turns = 0;
    let ticking = setImmediate(function tick() {
      turns += 1;
      ticking = setImmediate(tick);
    });
    const reply = await extractInTurns([message]);
    clearImmediate(ticking);
    expect(turns).toBeGreaterThan(2);
    expect(reply).toBe(extractFromMessages([message]));
    const signal = AbortSignal.abort(new Error('enough'));
    await expect(extractInTurns([message], { signal })).rejects.toThrow('enough');
  });
});
