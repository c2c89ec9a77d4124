import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { STOPWORDS } from './stopwords.ts';
import { trigramSimilarities } from './trigram-similarity.ts';
import { wordsOf } from './words.ts';

const WORD = /[\p{L}\p{N}][\p{L}\p{N}\p{M}]*(?:['’][\p{L}\p{M}]+)*/gu;
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}ー]+/gu;

/** The words as their definition says, one piece after the other. */
function* plainWordsOf(text: string): Generator<{ text: string; unspaced: boolean }> {
  for (const [word] of text.normalize('NFC').toLowerCase().matchAll(WORD)) {
    let end = 0;
    for (const run of word.matchAll(UNSPACED)) {
      yield* spaced(word.slice(end, run.index));
      const characters = [...run[0]];
      if (characters.length <= 2) yield { text: run[0], unspaced: true };
      else
        for (const [index, character] of characters.slice(1).entries())
          yield { text: `${characters[index] ?? ''}${character}`, unspaced: true };
      end = run.index + run[0].length;
    }
    yield* spaced(word.slice(end));
  }
}

function* spaced(word: string): Generator<{ text: string; unspaced: boolean }> {
  const text = word.replaceAll('’', "'").replace(/'s$/, '');
  if (text !== '') yield { text, unspaced: false };
}

function trigramsOf(text: string, without: ReadonlySet<string>): Set<string> {
  const trigrams = new Set<string>();
  for (const word of plainWordsOf(text)) {
    if (without.has(word.text)) continue;
    const padded = `  ${word.text} `;
    if (word.unspaced) trigrams.add(word.text);
    else for (let at = 0; at + 3 <= padded.length; at += 1) trigrams.add(padded.slice(at, at + 3));
  }
  return trigrams;
}

/** The scores as their definition says: by the sets of all trigrams of each text. */
function plainTrigramSimilarities(query: string, texts: readonly string[]): number[] {
  const wanted = [...trigramsOf(query, STOPWORDS)];
  const found = texts.map((text) => trigramsOf(text, new Set()));
  const weights = wanted.map((trigram) => {
    const frequency = found.filter((trigrams) => trigrams.has(trigram)).length;
    return Math.log(1 + texts.length / Math.max(1, frequency));
  });
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  return found.map((trigrams) => {
    const score = weights.reduce(
      (sum, weight, index) => (trigrams.has(wanted[index] ?? '') ? sum + weight : sum),
      0,
    );
    return total === 0 ? 0 : score / total;
  });
}

/** Few pieces, so that texts share many of them, of all that makes a difference to where words begin and end. */
const PIECES = [
  "Anna|paints|painter|a|s|the|of|É|e\u0301|ß|İ|Ⅷ|42|7|٣|Жук|'|’|'s|’s|'S|O'Brien|\u0301|\u3099|_|-|.| |  |\n|\0| \n ",
  '北|北京|京的天|日本|カー|ー|か|か\u3099|한국|\u1112\u1161\u11ab|々|〇|𠀀|𠀁|𐐨|𐐩|𝒜|😀|\ud840|\udc00|\u200d',
].flatMap((pieces) => pieces.split('|'));
const text = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.array(fc.constantFrom(...PIECES), { maxLength: 14 }).map((pieces) => pieces.join('')),
  },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 12 }) },
);

test('words are those of their definition, whatever the scripts', () => {
  fc.assert(
    fc.property(text, (text) => {
      expect(wordsOf(text)).toEqual([...plainWordsOf(text)]);
    }),
    { numRuns: 2_000 },
  );
});

test('scores are those of their definition, to the last bit', () => {
  fc.assert(
    fc.property(text, fc.array(text, { maxLength: 6 }), (query, texts) => {
      expect(trigramSimilarities(query, texts)).toEqual(plainTrigramSimilarities(query, texts));
    }),
    { numRuns: 2_000 },
  );
});
