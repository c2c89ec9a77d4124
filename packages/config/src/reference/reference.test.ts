import { describe, expect, test } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { ENVIRONMENT_NAMES, environmentSchema, SECTIONS } from '../environment.ts';
import { parseEnvironment } from '../parse-environment.ts';
import { listSettings } from './list-settings.ts';
import { toChartSchema } from './to-chart-schema.ts';
import { toEnvExample } from './to-env-example.ts';
import { toMarkdown } from './to-markdown.ts';

function read(path: string): string {
  return readFileSync(new URL(`../../../../${path}`, import.meta.url), 'utf8');
}

const envExample = read('.env.example');
const variables = envExample.split('\n').flatMap((line) => {
  const match = /^(# )?([A-Z][A-Z0-9_]+)=(.*)$/.exec(line);
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

test('every setting is in one section, says what it is for, and what happens without it', () => {
  expect(SECTIONS.flatMap(({ names }) => names)).toEqual(ENVIRONMENT_NAMES);
  for (const { name, description, defaultValue, unset } of listSettings().values()) {
    expect([name, description]).toEqual([name, expect.stringMatching(/^[A-Z`].*[.]$/)]);
    expect([name, unset === '']).toEqual([name, defaultValue !== null]);
  }
});

test('what is generated is as `npm run reference` writes it', () => {
  expect(envExample).toBe(toEnvExample(listSettings()));
  expect(read('docs/configuration.md')).toBe(toMarkdown(listSettings()));
  const chartSchema = read('infra/helm/factmill/values.schema.json');
  expect(chartSchema).toBe(toChartSchema(listSettings(), chartSchema));
});
