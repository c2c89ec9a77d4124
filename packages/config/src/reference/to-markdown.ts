import { SECTIONS } from '../environment.ts';
import type { Setting } from './list-settings.ts';

const HEAD = `# Configuration

Factmill reads environment variables, and \`.env\` in the working directory for those that are not set. [.env.example](../.env.example) has all of them with their defaults. A bad value stops the start with one sentence that names the variable and its rule, never the value. Names that look misspelt are pointed out. Secrets, and addresses that may hold one, can be in files, as Docker and Kubernetes mount them: \`NAME_FILE\` in place of \`NAME\`, without the newline at the end of the file. Setting both is an error. \`factmill config list --all\` shows every setting in force and where it comes from.

This page is generated from the schema in \`packages/config/src/settings\` by \`npm run reference\`; a test compares them.`;

/** The text of `docs/configuration.md`. Prettier leaves it alone. */
export function toMarkdown(settings: ReadonlyMap<string, Setting>): string {
  const sections = SECTIONS.map(({ title, names }) => {
    const rows = names.flatMap((name) => settings.get(name) ?? []).map(toRow);
    return [
      `## ${title}\n`,
      '| variable | default | allowed | what |',
      '| --- | --- | --- | --- |',
      ...rows,
    ].join('\n');
  });
  return `${[HEAD, ...sections].join('\n\n')}\n`;
}

function toRow({ name, description, defaultValue, unset, allowed }: Setting): string {
  const cells = [
    `\`${name}\``,
    defaultValue === null ? `not set: ${unset}` : defaultValue === '' ? 'empty' : `\`${defaultValue}\``,
    allowed,
    withLinks(description),
  ];
  return `| ${cells.join(' | ')} |`;
}

/** Paths are written from the root of the repository; this page is in `docs`. */
function withLinks(text: string): string {
  return text.replaceAll(/\bdocs\/([\w/-]+\.md)/g, '[$1]($1)');
}
