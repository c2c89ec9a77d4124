import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'yaml';
import { ROOT } from './compose-file.ts';

type AlertRule = Readonly<{ alert: string; expr: string; annotations: Readonly<{ summary: string }> }>;

/** The rules of infra/prometheus/alerts.yml. */
export async function readAlertRules(): Promise<readonly AlertRule[]> {
  const text = await readFile(join(ROOT, 'infra/prometheus/alerts.yml'), 'utf8');
  const { groups } = parse(text) as { groups: { rules: AlertRule[] }[] };
  return groups.flatMap((group) => group.rules);
}

/** What they ask of Prometheus. */
export async function readAlertExpressions(): Promise<readonly string[]> {
  return (await readAlertRules()).map(({ expr }) => expr);
}
