// Writes .env.example, docs/configuration.md and the names of settings in the chart's values.schema.json from the schema
// of the environment. Run it after changing a setting:
// npm run reference
import { readFile, writeFile } from 'node:fs/promises';
import { listSettings } from './list-settings.ts';
import { toChartSchema } from './to-chart-schema.ts';
import { toEnvExample } from './to-env-example.ts';
import { toMarkdown } from './to-markdown.ts';

const root = new URL('../../../../', import.meta.url);
const settings = listSettings();
await writeFile(new URL('.env.example', root), toEnvExample(settings));
await writeFile(new URL('docs/configuration.md', root), toMarkdown(settings));

const chartSchema = new URL('infra/helm/factmill/values.schema.json', root);
await writeFile(chartSchema, toChartSchema(settings, await readFile(chartSchema, 'utf8')));
