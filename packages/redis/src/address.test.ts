import { expect, test } from '@jest/globals';
import { parseAddress, type RedisAddress } from './address.ts';

const PLAIN = { username: undefined, password: undefined, db: 0, isTls: false };

test.each<[RedisAddress, object]>([
  [{ url: 'redis://a.test' }, { ...PLAIN, nodes: [{ host: 'a.test', port: 6379 }] }],
  [
    { url: 'rediss://app:p%40s%2Fs@a.test:7000/3' },
    { nodes: [{ host: 'a.test', port: 7000 }], username: 'app', password: 'p@s/s', db: 3, isTls: true },
  ],
  [
    { url: 'redis://:pw@s1,s2:1,[::1]', mode: 'sentinel' },
    {
      ...PLAIN,
      password: 'pw',
      nodes: [
        { host: 's1', port: 26_379 },
        { host: 's2', port: 1 },
        { host: '::1', port: 26_379 },
      ],
    },
  ],
  [
    { url: 'redis://a,b', mode: 'cluster' },
    {
      ...PLAIN,
      nodes: [
        { host: 'a', port: 6379 },
        { host: 'b', port: 6379 },
      ],
    },
  ],
])('%j', (address, parts) => {
  expect(parseAddress(address)).toEqual(parts);
});

test('what is no address throws', () => {
  expect(() => parseAddress({ url: 'redis://a:b' })).toThrow('Invalid URL');
  expect(() => parseAddress({ url: 'a.test:6379' })).toThrow('Invalid URL');
});
