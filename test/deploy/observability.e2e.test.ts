import { beforeAll, describe, expect, test } from '@jest/globals';
import { glob, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'yaml';
import { readAlertRules } from './alert-rules.ts';
import { type ComposeFile, loadComposeFile, ROOT } from './compose-file.ts';

type Dashboard = { panels: { title: string; description: string; targets: { expr: string }[] }[] };
type Collector = {
  receivers: object;
  processors: object;
  exporters: object;
  service: { pipelines: Record<string, Record<'receivers' | 'processors' | 'exporters', string[]>> };
};

const read = (path: string) => readFile(join(ROOT, path), 'utf8');
const REGISTERED = /(?:createCounter|createDuration|createGauge|gauge|createObservableCounter)\(\s*'(\w+)'/g;
/** A histogram has these besides its name. */
const SERIES = /_(bucket|count|sum)$/;

/** The names of all metrics that the sources register. */
async function metricNames(): Promise<Set<string>> {
  const names = new Set<string>();
  for await (const file of glob(['packages/*/src/**/*.ts', 'services/*/src/**/*.ts'], { cwd: ROOT })) {
    if (file.endsWith('.test.ts')) continue;
    for (const [, name] of (await read(file)).matchAll(REGISTERED)) names.add(name ?? '');
  }
  return names;
}

describe('observability', () => {
  let compose: ComposeFile;
  let registered: Set<string>;
  const unknownIn = (expressions: readonly string[]) =>
    expressions
      .flatMap((expression) => expression.match(/\bfactmill_[a-z_]+/g) ?? [])
      .filter((name) => !registered.has(name) && !registered.has(name.replace(SERIES, '')));

  beforeAll(async () => {
    compose = await loadComposeFile();
    registered = await metricNames();
  });

  test('alerts use metrics that exist, and each is explained in the documentation', async () => {
    const rules = await readAlertRules();
    expect(rules.length).toBeGreaterThan(5);
    expect(unknownIn(rules.map((rule) => rule.expr))).toEqual([]);
    const documentation = await read('docs/operations/monitoring.md');
    const explained = new Set(documentation.match(/\bFactmill[A-Z]\w+/g));
    expect([...explained].toSorted()).toEqual(rules.map((rule) => rule.alert).toSorted());
  });

  test('the dashboard shows every metric, and no others', async () => {
    const { panels } = JSON.parse(await read('infra/grafana/dashboards/factmill.json')) as Dashboard;
    expect(panels.length).toBeGreaterThan(5);
    const expressions = panels.flatMap((panel) => panel.targets.map((target) => target.expr));
    expect(unknownIn(expressions)).toEqual([]);
    const isShown = (name: string) =>
      expressions.some((expression) => new RegExp(`\\b${name}(_bucket|_count|_sum)?\\b`).test(expression));
    expect([...registered].filter((name) => !isShown(name))).toEqual([]);
    for (const panel of panels) expect(panel.description).not.toBe('');
  });

  test('the documentation lists every metric', async () => {
    const documentation = await read('docs/operations/monitoring.md');
    expect([...registered].filter((name) => !documentation.includes(`\`${name}\``))).toEqual([]);
  });

  test('Prometheus scrapes every serving service on its port, each replica of it', async () => {
    type Scrape = { job_name: string; dns_sd_configs: { names: string[]; type: string; port: number }[] };
    const { scrape_configs } = parse(await read('infra/prometheus/prometheus.yml')) as {
      scrape_configs: Scrape[];
    };
    for (const [name, variable] of [
      ['gateway', 'GATEWAY_PORT'],
      ['retrieval', 'RETRIEVAL_PORT'],
      ['extractor', 'EXTRACTOR_PORT'],
    ] as const) {
      const scrape = scrape_configs.find((config) => config.job_name === name);
      const port = Number(compose.services[name]?.environment?.[variable]);
      expect(scrape?.dns_sd_configs[0]).toMatchObject({ names: [name], type: 'A', port });
    }
  });

  test('the collector’s pipelines use only what it configures', async () => {
    const collector = parse(await read('infra/otel-collector/config.yaml')) as Collector;
    for (const pipeline of Object.values(collector.service.pipelines)) {
      for (const part of ['receivers', 'processors', 'exporters'] as const) {
        for (const name of pipeline[part]) expect(collector[part]).toHaveProperty(name);
      }
    }
    expect(Object.keys(collector.service.pipelines)).toEqual(['traces', 'logs']);
  });
});
