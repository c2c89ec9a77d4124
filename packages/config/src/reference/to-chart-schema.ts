import { SECRET_NAMES } from '../environment.ts';
import type { Setting } from './list-settings.ts';

/** Settings that the chart decides on, by itself or by values of its own; folders of embedded storage. */
const CHART_SETTINGS: readonly string[] = [
  'HOST',
  'GATEWAY_PORT',
  'RETRIEVAL_PORT',
  'EXTRACTOR_PORT',
  'RETRIEVAL_URL',
  'DATABASE_URL',
  'DATABASE_OWNER_URL',
  'DATABASE_PASSWORD',
  'REDIS_URL',
  'REDIS_PASSWORD',
  'CONSOLE',
  'CONSOLE_WRITABLE',
  'VAULT_DIR',
  'DATA_DIR',
  'IMPORT_OPENCLAW_DIR',
];

/** Variables of OpenTelemetry, which its library reads. */
const OTEL: Readonly<Record<string, string>> = {
  OTEL_TRACES_SAMPLER: 'Which traces are kept, for example `parentbased_traceidratio`.',
  OTEL_TRACES_SAMPLER_ARG: 'The share of traces that are kept, for that sampler.',
  OTEL_RESOURCE_ATTRIBUTES: 'Attributes of all traces and logs: `name=value`, separated by commas.',
};

type Schema = { definitions: Record<'config' | 'secrets', { properties: object }> };

/** `values.schema.json` of the chart with the names of all settings. Prettier leaves it alone. */
export function toChartSchema(settings: ReadonlyMap<string, Setting>, schemaText: string): string {
  const schema = JSON.parse(schemaText) as Schema;
  const describe = (name: string) => settings.get(name)?.description ?? '';
  const names = [...settings.keys()].filter((name) => !CHART_SETTINGS.includes(name));
  const plain = names.filter((name) => !SECRET_NAMES.includes(name));
  const secret = names.filter((name) => SECRET_NAMES.includes(name));
  schema.definitions.config.properties = {
    ...Object.fromEntries(plain.map((name) => [name, scalar(describe(name))])),
    ...Object.fromEntries(Object.entries(OTEL).map(([name, description]) => [name, scalar(description)])),
  };
  schema.definitions.secrets.properties = {
    existingSecret: { type: 'string' },
    ...Object.fromEntries(secret.map((name) => [name, { type: 'string', description: describe(name) }])),
  };
  return `${JSON.stringify(schema, null, 2)}\n`;
}

/** The services check the value when they start. */
function scalar(description: string): object {
  return { type: ['string', 'number', 'boolean'], description };
}
