import { describe, expect, test } from '@jest/globals';
import { Ajv } from 'ajv';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'yaml';
import {
  at,
  CHART,
  containerOf,
  EXAMPLES,
  findManifest,
  loadManifests,
  loadValues,
  ofKind,
  parseManifests,
  podOf,
  readChartFile,
  ROOT,
} from './manifests.ts';
import { restrictedProblems } from './restricted-profile.ts';
import { schemaProblems } from './schema-problems.ts';

const readSchema = async () => JSON.parse(await readChartFile('values.schema.json')) as Schema;
type Schema = Readonly<{ properties?: object; additionalProperties?: unknown }>;

const compiling = readSchema().then((schema) =>
  new Ajv({ allErrors: true, allowUnionTypes: true }).compile(schema),
);

async function problemsOf(values: unknown): Promise<string[]> {
  const validate = await compiling;
  validate(values);
  return (validate.errors ?? []).map(({ instancePath, keyword }) => `${instancePath} ${keyword}`);
}

describe('values.schema.json', () => {
  test('accepts the values of the chart and of every example', async () => {
    const values = [
      parse(await readChartFile('values.yaml')),
      ...(await Promise.all(EXAMPLES.map(loadValues))),
    ];
    for (const each of values) expect(await problemsOf(each)).toEqual([]);
    const names = await readdir(join(CHART, 'ci'));
    expect(names.toSorted()).toEqual(EXAMPLES.map((name) => `${name}-values.yaml`).toSorted());
  });

  test('refuses unknown names wherever names are known', async () => {
    const open: string[] = [];
    const visit = (schema: unknown, path: string) => {
      if (typeof schema !== 'object' || schema === null) return;
      const { properties, additionalProperties } = schema as Schema;
      if (properties !== undefined && additionalProperties !== false) open.push(path);
      for (const [name, child] of Object.entries(schema)) visit(child, `${path}/${name}`);
    };
    visit(await readSchema(), '');
    expect(open).toEqual([]);
  });

  test('knows every value of values.yaml, and values.yaml has every value that it knows', async () => {
    const known = (schema: Schema, path: string): string[] =>
      Object.entries(schema.properties ?? {}).flatMap(([name, child]) => [
        `${path}${name}`,
        ...known(child as Schema, `${path}${name}.`),
      ]);
    const given = (value: unknown, path: string): string[] =>
      typeof value !== 'object' || value === null || Array.isArray(value)
        ? []
        : Object.entries(value).flatMap(([name, child]) => [
            `${path}${name}`,
            ...given(child, `${path}${name}.`),
          ]);
    const names = known(await readSchema(), '').filter((name) => name !== 'global');
    const values = given(parse(await readChartFile('values.yaml')), '').filter(
      (name) => !/\.(requests|limits)|^secrets\./.test(name),
    );
    expect(values.toSorted()).toEqual(names.toSorted());
  });

  test.each([
    ['a misspelt component', { gatway: {} }, ' additionalProperties'],
    ['a misspelt setting', { config: { LLM_MODELS: 'a' } }, '/config additionalProperties'],
    ['a setting that is a secret', { config: { LLM_API_KEY: 'a' } }, '/config additionalProperties'],
    [
      'a setting of the chart',
      { gateway: { config: { HOST: '::' } } },
      '/gateway/config additionalProperties',
    ],
    ['a secret that is none', { secrets: { LLM_MODEL: 'a' } }, '/secrets additionalProperties'],
    ['a setting that is a list', { config: { LLM_MODEL: ['a'] } }, '/config/LLM_MODEL type'],
    ['a number as a word', { gateway: { replicas: 'two' } }, '/gateway/replicas type'],
    ['a negative number', { extractor: { replicas: -1 } }, '/extractor/replicas minimum'],
    ['another database', { database: { url: 'mysql://a' } }, '/database/url pattern'],
    ['another mode', { migrations: { mode: 'init' } }, '/migrations/mode enum'],
    ['half a digest', { image: { digest: 'sha256:12' } }, '/image/digest pattern'],
    ['a port that is none', { networkPolicy: { egressPorts: [0] } }, '/networkPolicy/egressPorts/0 minimum'],
    ['a parent without a name', { httpRoute: { parentRefs: [{}] } }, '/httpRoute/parentRefs/0 required'],
    [
      'KEDA for the gateway',
      { gateway: { autoscaling: { keda: {} } } },
      '/gateway/autoscaling additionalProperties',
    ],
    ['a path without a slash', { paths: ['v1'] }, '/paths/0 pattern'],
  ])('refuses %s', async (_what, values, problem) => {
    expect(await problemsOf(values)).toEqual([problem]);
  });
});

test('Chart.yaml has the version of package.json', async () => {
  const { version } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8')) as { version: string };
  expect(parse(await readChartFile('Chart.yaml'))).toMatchObject({ version, appVersion: version });
});

test('what the chart keeps in Secrets is what its schema calls secrets', async () => {
  const [, table = ''] = /secretsOf" -}}\n([^{]*)/.exec(await readChartFile('templates/_secrets.tpl')) ?? [];
  const names = Object.values(parse(table) as Record<string, string[]>).flat();
  expect([...new Set(['existingSecret', ...names])].toSorted()).toEqual(
    Object.keys(at(await readSchema(), 'definitions.secrets.properties') as object).toSorted(),
  );
});

describe('examples', () => {
  const load = async (name: string) => parseManifests(await readChartFile(`examples/${name}.yaml`));

  test.each(['cloudnative-pg', 'valkey', 'text-embeddings-inference'])(
    '%s is valid and restricted',
    async (name) => {
      for (const manifest of await load(name)) {
        expect([manifest.metadata.name, schemaProblems(manifest)]).toEqual([manifest.metadata.name, []]);
        const pod = podOf(manifest);
        if (pod !== undefined) expect(restrictedProblems(pod)).toEqual([]);
      }
    },
  );

  test('fit the values that name them', async () => {
    const [cluster] = await load('cloudnative-pg');
    const values = await loadValues('keda');
    // The operator writes the owner's address there.
    expect(at(values, 'database.owner')).toEqual({
      existingSecret: `${cluster?.metadata.name}-app`,
      existingSecretKey: 'uri',
    });
    const [valkey] = ofKind(await load('valkey'), 'StatefulSet');
    expect(valkey?.metadata.name).toBe(at(values, 'redis.existingSecret'));
    expect((valkey === undefined ? [] : containerOf(valkey).args).join(' ')).toMatch(
      /--appendonly yes .*--maxmemory-policy noeviction --requirepass \$\(PASSWORD\)/,
    );
    const servers = await load('text-embeddings-inference');
    const config = findManifest(
      await loadManifests('text-embeddings-inference'),
      'ConfigMap',
      'factmill',
    ).data;
    const embedding = new URL(config?.['EMBEDDING_BASE_URL'] ?? '').hostname;
    expect(containerOf(findManifest(servers, 'Deployment', embedding)).args).toContain(
      config?.['EMBEDDING_MODEL'],
    );
    const url = at(
      await loadValues('text-embeddings-inference'),
      'retrieval.config.RERANK_BASE_URL',
    ) as string;
    const reranker = findManifest(servers, 'Service', new URL(url).hostname);
    expect(at(reranker, 'spec.ports.0.port')).toBe(80);
  });
});
