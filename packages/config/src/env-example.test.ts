import { describe, expect, test } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { ENVIRONMENT_NAMES, environmentSchema } from './environment.ts';
import { parseEnvironment } from './parse-environment.ts';

const lines = readFileSync(new URL('../../../.env.example', import.meta.url), 'utf8').split('\n');
const variables = lines.flatMap((line) => {
  const match = /^(# )?([A-Z][A-Z_]+)=(.*)$/.exec(line);
  return match === null
    ? []
    : [{ name: match[2] ?? '', value: match[3] ?? '', isSet: match[1] === undefined }];
});

describe('.env.example', () => {
  test('names every variable of the schema, once, in its order', () => {
    expect(variables.map(({ name }) => name)).toEqual([...ENVIRONMENT_NAMES]);
  });

  test('what it sets are the defaults', () => {
    const set = Object.fromEntries(
      variables.filter(({ isSet }) => isSet).map(({ name, value }) => [name, value]),
    );
    expect(parseEnvironment(set)).toEqual(parseEnvironment({}));
  });

  test('what is commented out has no default, and everything else has one', () => {
    const defaults = environmentSchema.parse({});
    for (const { name, isSet } of variables) expect([name, name in defaults]).toEqual([name, isSet]);
  });
});

test('the configuration table of README.md names the variables of the schema and no others', () => {
  const readme = readFileSync(new URL('../../../README.md', import.meta.url), 'utf8');
  const table = readme.slice(readme.indexOf('## Configuration'), readme.indexOf('## Limits'));
  const rows = table.split('\n').filter((line) => line.startsWith('| `'));
  const named = rows.flatMap((row) =>
    [...(row.split('|')[1] ?? '').matchAll(/`([A-Z_]+)`/g)].map(([, name]) => name),
  );
  expect([...named].sort()).toEqual([...ENVIRONMENT_NAMES].sort());
});
