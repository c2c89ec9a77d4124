import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { estimateTokens } from '../token-estimate.ts';
import {
  hashOfPart,
  lineOfMemory,
  lineOfPart,
  NARRATIVE_TOKEN_BUDGET,
  type NarrativeLine,
  partsOf,
  renderLine,
  wholeOf,
} from './narrative-parts.ts';

const day = new Date('2026-05-04T10:00:00Z');
const line = (text: string): NarrativeLine => ({ text, from: day, to: day, weight: 0.5 });
const boats = (count: number) =>
  Array.from({ length: count }, (_, index) => line(`The user owns boat number ${index}.`));
async function split(lines: readonly NarrativeLine[]) {
  const parts: (readonly NarrativeLine[])[] = [];
  for await (const part of partsOf(lines)) parts.push(part);
  return parts;
}
const tokensOf = (part: readonly NarrativeLine[]) =>
  part.reduce((sum, one) => sum + estimateTokens(renderLine(one)), 0);

describe('the parts of a narrative', () => {
  test('hold every line once, in order, and each fits into a question', async () => {
    const texts = fc.array(fc.string({ minLength: 1, maxLength: 3_000, unit: 'grapheme' }), {
      maxLength: 60,
    });
    await fc.assert(
      fc.asyncProperty(texts, async (given) => {
        const lines = given.flatMap((text) => lineOfMemory(memoryOf(text)) ?? []);
        const parts = await split(lines);
        expect(parts.flat()).toEqual(lines);
        for (const part of parts) expect(tokensOf(part)).toBeLessThanOrEqual(NARRATIVE_TOKEN_BUDGET);
      }),
      { numRuns: 30 },
    );
  });

  test('a change touches the part that it is in, and the next one at most', async () => {
    const before = (await split(boats(3_000))).map((part) => hashOfPart(part, 'v1'));
    expect(before.length).toBeGreaterThan(5);
    const gone = boats(3_000).filter((_, index) => index !== 40);
    const after = (await split(gone)).map((part) => hashOfPart(part, 'v1'));
    expect(after.filter((hash) => !before.includes(hash)).length).toBeLessThanOrEqual(2);
    const other = (await split(boats(3_000))).map((part) => hashOfPart(part, 'v2'));
    expect(other.filter((hash) => before.includes(hash))).toEqual([]);
  });

  test('what fits into one question is not split', async () => {
    expect(await wholeOf(boats(200))).toHaveLength(200);
    expect(await wholeOf(boats(3_000))).toBeNull();
    expect(await wholeOf([])).toEqual([]);
  });

  test('texts of parts are shorter than parts, so that every level has fewer lines', async () => {
    for (const content of ['word '.repeat(1_200), '我住在里斯本。'.repeat(850)]) {
      const texts = boats(6).map((one) => lineOfPart([one], content));
      expect((await split(texts)).length).toBeLessThanOrEqual(3);
      expect(texts[0]?.text.length).toBeGreaterThan(100);
    }
  });

  test('a part tells of all its days', () => {
    const part = [line('a'), { ...line('b'), from: new Date('2026-01-02'), to: new Date('2026-01-03') }];
    expect(renderLine(lineOfPart(part, 'Two\nthings.'))).toBe('- 2026-01-02 to 2026-05-04: Two things.');
  });

  test('the profile is heavier than anything, and a memory without text is no line', () => {
    expect(lineOfMemory({ ...memoryOf('A.'), tier: 1 })?.weight).toBeGreaterThan(1);
    expect(lineOfMemory(memoryOf(' '))).toBeNull();
  });
});

function memoryOf(content: string) {
  return {
    kind: 'note',
    tier: 2,
    content,
    question: null,
    answer: null,
    statedAt: day,
    importance: 0.5,
  } as const;
}
