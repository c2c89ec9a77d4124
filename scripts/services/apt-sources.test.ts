import { describe, expect, test } from '@jest/globals';
import { findMainSource, parseListFile, parseSourcesFile, toStanza } from './apt-sources.mjs';

describe('parseListFile', () => {
  test('reads binary entries with and without options', () => {
    const sources = parseListFile(`
# deb http://mirror.test/commented bookworm main
deb http://mirror.test/debian bookworm main contrib # trailing
deb-src http://mirror.test/debian bookworm main
deb [arch=amd64 Signed-By=/keys/a.gpg] https://mirror.test/debian-security bookworm-security main
`);
    expect(sources).toEqual([
      { uri: 'http://mirror.test/debian', suite: 'bookworm', components: ['main', 'contrib'], options: {} },
      {
        uri: 'https://mirror.test/debian-security',
        suite: 'bookworm-security',
        components: ['main'],
        options: { arch: 'amd64', 'signed-by': '/keys/a.gpg' },
      },
    ]);
  });
});

describe('parseSourcesFile', () => {
  test('reads every suite of a stanza, around comments', () => {
    const sources = parseSourcesFile(`Types: deb deb-src
# http://snapshot.test/
URIs: http://mirror.test/debian
Suites: bookworm bookworm-updates
Components: main
Signed-By: /keys/debian.gpg

Types: deb-src
URIs: http://mirror.test/sources
Suites: bookworm
Components: main

Enabled: no
Types: deb
URIs: http://mirror.test/off
Suites: bookworm
Components: main
`);
    expect(sources.map(({ uri, suite }) => `${uri} ${suite}`)).toEqual([
      'http://mirror.test/debian bookworm',
      'http://mirror.test/debian bookworm-updates',
    ]);
    expect(sources[0]?.options).toEqual({ 'signed-by': '/keys/debian.gpg' });
  });

  test('keeps a key block as it stands', () => {
    const [source] = parseSourcesFile(`Types: deb
URIs: http://mirror.test/debian
Suites: trixie
Components: main
Signed-By:
 -----BEGIN PGP PUBLIC KEY BLOCK-----
 .
 AbCd=
 -----END PGP PUBLIC KEY BLOCK-----
`);
    expect(source && toStanza(source, 'sid', 'deb-src')).toBe(`Types: deb-src
URIs: http://mirror.test/debian
Suites: sid
Components: main
signed-by: 
 -----BEGIN PGP PUBLIC KEY BLOCK-----
 .
 AbCd=
 -----END PGP PUBLIC KEY BLOCK-----
`);
  });
});

test('findMainSource takes the plain suite of the release, by name or by alias', () => {
  const security = { uri: 'a', suite: 'bookworm-security', components: ['main'], options: {} };
  const contrib = { uri: 'b', suite: 'bookworm', components: ['contrib'], options: {} };
  const stable = { uri: 'c', suite: 'stable', components: ['main'], options: {} };
  const plain = { uri: 'd', suite: 'bookworm', components: ['contrib', 'main'], options: {} };
  expect(findMainSource([security, contrib, stable, plain], 'bookworm')).toBe(plain);
  expect(findMainSource([security, contrib, stable], 'bookworm')).toBe(stable);
  expect(findMainSource([security, contrib], 'bookworm')).toBeUndefined();
});
