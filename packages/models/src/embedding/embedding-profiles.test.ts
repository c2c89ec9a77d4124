import { describe, expect, test } from '@jest/globals';
import { chunkingOf } from './chunking-of.ts';
import {
  embeddingProfileOf,
  LOCAL_EMBEDDING_PROFILE,
  readsMost,
  readsWhole,
  withThresholds,
} from './embedding-profiles.ts';

describe('embeddingProfileOf', () => {
  test.each([
    ['nomic-embed-text:latest', 'nomic-embed-text', 768, 0.7],
    ['nomic-embed-text', 'nomic-embed-text', 768, 0.7],
    ['BAAI/bge-small-en-v1.5', 'bge-small-en-v1.5', 384, 0.5],
    ['openai/text-embedding-3-small', 'text-embedding-3-small', 1536, 0.3],
    ['sentence-transformers/all-MiniLM-L6-v2', 'all-minilm-l6-v2', 384, 0.3],
    ['intfloat/multilingual-e5-small', 'multilingual-e5-small', 384, 0.8],
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

describe('what a profile rests on', () => {
  test('says for each threshold where it comes from', () => {
    expect(embeddingProfileOf('bge-small-en-v1.5')).toMatchObject({
      minSimilarity: 0.5,
      duplicateSimilarity: 0.9,
      origin: { minSimilarity: 'source', relatedSimilarity: 'conservative', duplicateSimilarity: 'source' },
    });
    expect(embeddingProfileOf('nomic-embed-text')).toMatchObject({
      minSimilarity: 0.7,
      origin: { minSimilarity: 'source', duplicateSimilarity: 'conservative' },
    });
    expect(withThresholds(LOCAL_EMBEDDING_PROFILE, { minSimilarity: 0.4 })).toEqual({
      ...LOCAL_EMBEDDING_PROFILE,
      minSimilarity: 0.4,
      origin: { minSimilarity: 'configured', relatedSimilarity: 'measured', duplicateSimilarity: 'measured' },
    });
  });

  test.each([
    [LOCAL_EMBEDDING_PROFILE, 'The user’s name is Zoë.', true],
    [LOCAL_EMBEDDING_PROFILE, 'The user’s name is Łukasz.', false],
    [LOCAL_EMBEDDING_PROFILE, '用户住在杭州。', false],
    [{ reads: 'latin' as const }, 'The user’s name is Łukasz, 42 %.', true],
    [{ reads: 'latin' as const }, 'Пользователь живёт в Риге.', false],
    [{ reads: 'any' as const }, '用户住在杭州。', true],
  ])('%j reads %j: %j', (profile, text, reads) => {
    expect(readsWhole(profile, text)).toBe(reads);
  });

  test.each([
    ['Who is Łukasz? 🎉', true],
    ['What does 谢谢 mean?', true],
    ['用户住在杭州吗？ OK', false],
    ['Где живёт Анна?', false],
    ['4321?', true],
  ])('most of %j: %j', (text, reads) => {
    expect(readsMost(LOCAL_EMBEDDING_PROFILE, text)).toBe(reads);
  });
});

describe('chunkingOf', () => {
  const endpoint = {
    provider: 'openai',
    baseUrl: 'http://model.test/v1',
    timeoutMs: 1,
    batchSize: 1,
  } as const;

  test('follows the limit of the model, up to 512 tokens', () => {
    expect(chunkingOf({ provider: 'local' })).toEqual({
      id: 'use-lite/64/2',
      maxTokens: 64,
      tokenizer: 'use-lite',
    });
    expect(chunkingOf({ ...endpoint, model: 'bge-small-en-v1.5' }).maxTokens).toBe(512);
    expect(chunkingOf({ ...endpoint, model: 'text-embedding-3-small' }).maxTokens).toBe(512);
    expect(chunkingOf({ ...endpoint, model: 'house-model' }).maxTokens).toBe(256);
    const onnx = { file: null, sha256: null, modelsDir: '', hubUrl: '', threads: 1 };
    const chunksOf = (model: string) =>
      chunkingOf({ ...endpoint, ...onnx, provider: 'onnx', model }).maxTokens;
    expect(chunksOf('BAAI/bge-small-en-v1.5@0123456')).toBe(512);
    expect(chunksOf('/models/multilingual-e5-small')).toBe(512);
    expect(chunksOf('./house')).toBe(256);
    expect(() => chunksOf('../house')).toThrow(expect.objectContaining({ code: 'config_invalid' }));
    expect(chunkingOf({ provider: 'none' })).toMatchObject({ maxTokens: 256, tokenizer: 'bound' });
  });
});
