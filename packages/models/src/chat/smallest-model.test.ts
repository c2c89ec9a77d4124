import { describe, expect, test } from '@jest/globals';
import { sizeOf, smallestModel } from './smallest-model.ts';

describe('the size in the name of a model', () => {
  test.each([
    ['qwen3:1.7b', 1.7],
    ['qwen3:8b-q4_K_M', 8],
    ['smollm2:135m', 0.135],
    ['mixtral:8x7b', 56],
    ['gemma3n:e2b', 2],
    ['Qwen/Qwen3-30B-A3B-Instruct', 30],
    ['meta-llama/llama-3.2-3b-instruct', 3],
    ['llama3.1:70b-instruct-q4_0', 70],
    ['qwen2.5-7b-instruct-1m', 7],
    ['gpt-4.1-mini', null],
    ['llama3.2:latest', null],
    ['bge-m3', null],
    ['mistral-large-2411', null],
  ])('%s: %p', (name, size) => {
    expect(sizeOf(name)).toBe(size);
  });
});

describe('the smallest model', () => {
  test('is one that chats and says how large it is', () => {
    const names = [
      'qwen3:8b',
      'nomic-embed-text:137m',
      'llama-guard3:1b',
      'qwen3:1.7b',
      'gpt-oss',
      'gemma3:4b',
    ];
    expect(smallestModel(names)).toBe('qwen3:1.7b');
    expect(smallestModel(['zephyr:3b', 'granite:3b'])).toBe('granite:3b');
    expect(smallestModel(['gpt-4.1', 'bge-small:33m'])).toBeNull();
  });
});
