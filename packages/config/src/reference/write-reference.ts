// Writes .env.example and docs/configuration.md from the schema of the environment. Run it after changing a setting:
// npm run reference
import { writeFile } from 'node:fs/promises';
import { listSettings } from './list-settings.ts';
import { toEnvExample } from './to-env-example.ts';
import { toMarkdown } from './to-markdown.ts';

const root = new URL('../../../../', import.meta.url);
const settings = listSettings();
await writeFile(new URL('.env.example', root), toEnvExample(settings));
await writeFile(new URL('docs/configuration.md', root), toMarkdown(settings));
