import { describe, expect, test } from '@jest/globals';
import { OPERATIONS } from '@factmill/contracts';
import { isOwnPath, readUpstreamPath } from './upstream-path.ts';

describe('what goes upstream', () => {
  test.each([
    ['/v1/models', '/models', ['models']],
    ['/v1/models/', '/models/', ['models']],
    ['/v1/models/org%20x:7b?a=%2F..%2f', '/models/org%20x:7b?a=%2F..%2f', ['models', 'org x:7b']],
    ['/v1/models/%E6%A8%A1', '/models/%E6%A8%A1', ['models', '模']],
    ['/v1/audio/transcriptions?x=1%202', '/audio/transcriptions?x=1%202', ['audio', 'transcriptions']],
    ['/v1/a..b/...c', '/a..b/...c', ['a..b', '...c']],
  ])('%s → %s', (requested, target, segments) => {
    expect(readUpstreamPath(requested)).toEqual({ target, segments });
  });

  const tricks = String.raw`
    .. . %2e%2e %2E. .%2e %252e%252e %25252e%25252e ..; ..;x=1 %2e%2e%3b %c0%ae%c0%ae %c0%af %e0%80%af %u002e ..%00
    %00 %0a %7f %e2%80%a5 …%2f %ef%bc%8e%ef%bc%8e %ef%bc%8fadmin x%2f.. x%2Fadmin x%252fadmin %5c.. ..\x x%5Cy % %zz
    %2 x;y x%3By %20 x%20 %20x %e2%80%8b %e2%84%80 %cd%be < {x} "`
    .trim()
    .split(/\s+/);
  test.each(tricks.flatMap((trick) => [`/v1/${trick}/admin`, `/v1/files/${trick}`, `/v1/files/${trick}/x`]))(
    '%j is refused',
    (requested) => {
      expect(() => readUpstreamPath(requested)).toThrow(/cannot be passed on/);
    },
  );

  test.each([
    '/v1//models',
    '/v1/models//x',
    '/v1/models///',
    '/v1/x#y',
    '/v1/é',
    `/v1/${'x'.repeat(2_048)}`,
  ])('%j is refused', (requested) => {
    expect(() => readUpstreamPath(requested)).toThrow(/cannot be passed on/);
  });

  test.each([
    '/V1/models',
    '/v1',
    '/v1/',
    '/v2/models',
    'http://host/v1/models',
    'http://host',
    '*',
    '//v1/x',
  ])('%j is nothing below /v1', (requested) => {
    expect(() => readUpstreamPath(requested)).toThrow(expect.objectContaining({ code: 'not_found' }));
  });

  test('a long path takes no long time', () => {
    const before = process.cpuUsage().user;
    for (const piece of ['/', '%2e', '/.', '%25', 'a', '/a', '%', '\\']) {
      for (const requested of [`/v1/${piece.repeat(8_000)}`, `/v1/${piece.repeat(8_000)}!`]) {
        isOwnPath(requested);
        expect(() => readUpstreamPath(requested)).toThrow(/cannot be passed on/);
      }
    }
    expect(process.cpuUsage().user - before).toBeLessThan(500_000);
  });
});

describe('what is ours, built or not', () => {
  const first = OPERATIONS.map(({ path }) => path.replaceAll(/\{\w+\}/g, 'x'));
  const next = [
    '/v1/users/ann',
    '/v1/erasures/1',
    '/v1/tenants',
    '/v1/usage',
    '/v1/queue/pressure',
    '/v1/audit',
  ];
  const spellings = (path: string): string[] => {
    const [, , segment = '', ...rest] = path.split('/');
    const tail = rest.map((part) => `/${part}`).join('');
    const encoded = [...segment].map((letter) => `%${letter.charCodeAt(0).toString(16)}`).join('');
    const twice = encoded.replaceAll('%', '%25');
    const wide = encodeURIComponent(segment.replaceAll('e', 'ｅ'));
    return [
      segment,
      segment.toUpperCase(),
      encoded,
      twice,
      wide,
      ` ${segment}`,
      `%20${segment}%20`,
      `${segment}.`,
      `/${segment}`,
      `//${segment}`,
      `%2f${segment}`,
      `.%2f${segment}`,
      `./${segment}`,
      `%5c${segment}`,
      `${segment};a=b`,
      `${segment}%3b`,
      `${segment}%00`,
      `${segment}%e2%80%8b`,
      `${segment}%09`,
    ].flatMap((written) => [
      `/v1/${written}${tail}`,
      `/V1/${written}${tail}?x`,
      `http://h/v1/${written}${tail}`,
    ]);
  };

  test.each([...first, ...next, '/v1/events', '/v1/webhooks', '/v1/replays/1/diff'])(
    '%s, however written',
    (path) => {
      for (const written of spellings(path)) expect([written, isOwnPath(written)]).toEqual([written, true]);
      expect(isOwnPath(`${path}%2f`)).toBe(true);
      expect(isOwnPath(`${path}/`)).toBe(true);
    },
  );

  test.each([
    '/v1/models',
    '/v1/chat/completions',
    '/v1/embeddings',
    '/v1/files/users',
    '/v1/audio/x',
    '/v1',
  ])('%s is not', (path) => {
    expect(isOwnPath(path)).toBe(false);
  });
});
