/**
 * The names of a schema's objects, from the text of `dumpSchema`: columns, constraints, indexes, functions with their
 * arguments, triggers. Not their definitions, which each version of Postgres words differently. An invalid index
 * counts as missing.
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

/** The name of the object in a line of a section; undefined for other lines. */
const NAMES: Readonly<Record<string, (line: string) => string | undefined>> = {
  columns: (line) => named('column', /^[a-z_]+\.[a-z_0-9]+(?= [a-z])/.exec(line)),
  constraints: (line) => named('constraint', /^[a-z_]+\.[a-z_0-9]+(?= [A-Z])/.exec(line)),
  indexes: (line) =>
    line.endsWith('-- invalid') ? undefined : named('index', /(?<=^CREATE (?:UNIQUE )?INDEX )\S+/.exec(line)),
  functions: (line) => named('function', /^[a-z_]+\(.*\)(?= returns )/.exec(line)),
  triggers: (line) => named('trigger', /(?<=^CREATE TRIGGER )\S+/.exec(line)),
};

function named(kind: string, match: RegExpExecArray | null): string | undefined {
  return match === null ? undefined : `${kind} ${match[0]}`;
}
