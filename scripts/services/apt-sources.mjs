/**
 * @typedef {object} AptSource one place where the machine gets its packages from
 * @property {string} uri
 * @property {string} suite
 * @property {string[]} components
 * @property {Record<string, string>} options deb822 names in lower case: `signed-by`, `trusted`, …
 */

/**
 * Reads the one-line format (`deb [signed-by=…] uri suite main`) of `.list` files; only binary entries.
 * @param {string} text
 * @returns {AptSource[]}
 */
export function parseListFile(text) {
  return text.split('\n').flatMap((line) => {
    const match = /^\s*deb\s+(?:\[([^\]]*)\]\s+)?(\S+)\s+(\S+)((?:\s+[^\s#]+)*)/.exec(line);
    if (match === null) return [];
    const [, optionText = '', uri = '', suite = '', componentText = ''] = match;
    const options = Object.fromEntries(
      optionText
        .split(/\s+/)
        .map((option) => option.split('='))
        .flatMap(([name, value]) => (name && value ? [[name.toLowerCase(), value]] : [])),
    );
    return [{ uri, suite, components: componentText.split(/\s+/).filter(Boolean), options }];
  });
}

/**
 * Reads the deb822 format of `.sources` files: stanzas of `Name: value` with indented continuation lines, so
 * that a key block given in `Signed-By` is kept as it stands.
 * @param {string} text
 * @returns {AptSource[]}
 */
export function parseSourcesFile(text) {
  const withoutComments = text
    .split('\n')
    .filter((line) => !line.startsWith('#'))
    .join('\n');
  return withoutComments.split(/\n[ \t]*\n/).flatMap((stanza) => {
    const fields = parseStanza(stanza);
    const types = (fields['types'] ?? '').split(/\s+/);
    if (!types.includes('deb') || /^(no|false|0|off|without|disable)$/i.test(fields['enabled'] ?? 'yes'))
      return [];
    const { types: _types, uris = '', suites = '', components = '', enabled: _enabled, ...options } = fields;
    return uris
      .split(/\s+/)
      .filter(Boolean)
      .flatMap((uri) =>
        suites
          .split(/\s+/)
          .filter(Boolean)
          .map((suite) => ({
            uri,
            suite,
            components: components.split(/\s+/).filter(Boolean),
            options,
          })),
      );
  });
}

/**
 * @param {string} stanza
 * @returns {Record<string, string>}
 */
function parseStanza(stanza) {
  /** @type {Record<string, string>} */
  const fields = {};
  let current = '';
  for (const line of stanza.split('\n')) {
    if (/^[ \t]/.test(line)) {
      if (current !== '') fields[current] += `\n${line}`;
      continue;
    }
    const colon = line.indexOf(':');
    if (colon < 1) continue;
    current = line.slice(0, colon).toLowerCase();
    fields[current] = line.slice(colon + 1).trim();
  }
  return fields;
}

/**
 * The source that serves the distribution's own `main` packages: the plain suite of the running release, not
 * its updates, security or backports.
 * @param {readonly AptSource[]} sources
 * @param {string} codename the release's name, as in `VERSION_CODENAME`
 * @returns {AptSource | undefined}
 */
export function findMainSource(sources, codename) {
  const aliases = [codename, 'stable', 'oldstable', 'testing', 'unstable'];
  return aliases
    .map((suite) => sources.find((source) => source.suite === suite && source.components.includes('main')))
    .find((source) => source !== undefined);
}

/**
 * A deb822 stanza for the packages of `suite` on the same mirror, trusted by the same keys.
 * @param {AptSource} source
 * @param {string} suite
 * @param {'deb' | 'deb-src'} type binary packages or their sources
 */
export function toStanza(source, suite, type) {
  const trust = ['signed-by', 'trusted'].flatMap((name) => {
    const value = source.options[name];
    return value === undefined ? [] : [`${name}: ${value}`];
  });
  return [`Types: ${type}`, `URIs: ${source.uri}`, `Suites: ${suite}`, 'Components: main', ...trust, ''].join(
    '\n',
  );
}
