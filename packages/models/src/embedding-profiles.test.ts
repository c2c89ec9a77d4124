import { describe, expect, test } from '@jest/globals';
import { embeddingProfileOf } from './embedding-profiles.ts';

describe('embeddingProfileOf', () => {
  test.each([
    ['nomic-embed-text:latest', 'nomic-embed-text', 768, 0.7],
    ['nomic-embed-text', 'nomic-embed-text', 768, 0.7],
    ['BAAI/bge-small-en-v1.5', 'bge-small-en-v1.5', 384, 0.5],
    ['openai/text-embedding-3-small', 'text-embedding-3-small', 1536, 0.3],
  ])('%s is known', (model, id, dimensions, minSimilarity) => {
    expect(embeddingProfileOf(model)).toMatchObject({ id, dimensions, minSimilarity });
    expect(embeddingProfileOf(model, dimensions)).toMatchObject({ id, dimensions });
  });

  test('a known model at another size has an id of its own', () => {
    expect(embeddingProfileOf('text-embedding-3-small', 512)).toMatchObject({
      id: 'text-embedding-3-small@512',
      dimensions: 512,
    });
  });

  test('an unknown model has a profile as soon as its size is known', () => {
    expect(embeddingProfileOf('house/own:2')).toBeUndefined();
    expect(embeddingProfileOf('house/own:2', 100)).toMatchObject({ id: 'house/own:2@100', dimensions: 100 });
  });
});
