import { describe, expect, test } from '@jest/globals';
import { createVectorCache } from './vector-cache.ts';

const vector = (value: number): Float32Array => Float32Array.of(value);

describe('createVectorCache', () => {
  test('forgets the least recently used text first', () => {
    const cache = createVectorCache(2);
    cache.set('a', vector(1));
    cache.set('b', vector(2));
    expect(cache.get('a')).toEqual(vector(1));
    cache.set('c', vector(3));
    expect(cache.get('b')).toBeUndefined();
    expect(cache.get('a')).toEqual(vector(1));
    expect(cache.get('c')).toEqual(vector(3));
  });

  test('setting a text again replaces its vector and makes no room', () => {
    const cache = createVectorCache(2);
    cache.set('a', vector(1));
    cache.set('b', vector(2));
    cache.set('b', vector(4));
    expect(cache.get('a')).toEqual(vector(1));
    expect(cache.get('b')).toEqual(vector(4));
  });
});
