/**
 * The names of what a schema consists of, from the text that `dumpSchema` writes: columns, constraints, indexes,
 * functions with their arguments, triggers. Not what they say, which each version of Postgres words in its
 * own way. An index that is not valid counts as missing.
 */
export function objectsOf(schemaText: string): ReadonlySet<string> {
  const objects = new Set<string>();
  for (const section of schemaText.split(/^-- (?=[a-z-]+(?: [a-z]+)?$)/m)) {
    const [heading = '', ...lines] = section.split('\n');
    const toName = NAMES[heading];
    if (toName === undefined) continue;
    for (const line of lines) {
      const name = toName(line);
      if (name !== undefined) objects.add(name);
    }
  }
  return objects;
}

/** Of a line of a section, the name of what it begins to describe; undefined for the lines that go on with it. */
const NAMES: Readonly<Record<string, (line: string) => string | undefined>> = {
  columns: (line) => named('column', /^[a-z_]+\.[a-z_0-9]+(?= [a-z])/.exec(line)),
  constraints: (line) => named('constraint', /^[a-z_]+\.[a-z_0-9]+(?= [A-Z])/.exec(line)),
  indexes: (line) =>
    line.endsWith('-- invalid') ? undefined : named('index', /(?<=^CREATE (?:UNIQUE )?INDEX )\S+/.exec(line)),
  functions: (line) => named('function', /(?<=^CREATE OR REPLACE FUNCTION public\.).*$/.exec(line)),
  triggers: (line) => named('trigger', /(?<=^CREATE TRIGGER )\S+/.exec(line)),
};

function named(kind: string, match: RegExpExecArray | null): string | undefined {
  return match === null ? undefined : `${kind} ${match[0]}`;
}
