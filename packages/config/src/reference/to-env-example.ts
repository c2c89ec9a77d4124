import { SECTIONS } from '../environment.ts';
import type { Setting } from './list-settings.ts';

/** Longest line of a comment, in characters. */
const WIDTH = 116;

const HEAD =
  'Every variable that Factmill reads, with its default. Copy this file to .env and change what you need. A variable of the process environment wins over .env. An empty value counts as not set. Secrets can be in files, as Docker and Kubernetes mount them: NAME_FILE in place of NAME. Variables that are commented out have no default: the comment above each says what happens without it. docs/configuration.md lists the allowed values. Both are generated: npm run reference.';

/** The text of `.env.example`. */
export function toEnvExample(settings: ReadonlyMap<string, Setting>): string {
  const sections = SECTIONS.map(({ title, names }) => {
    const entries = names.flatMap((name) => settings.get(name) ?? []).map(toEntry);
    return [`# --- ${title} ${'-'.repeat(WIDTH - title.length - 7)}`, ...entries].join('\n');
  });
  return `${[comment(HEAD), ...sections].join('\n\n')}\n`;
}

function toEntry({ name, description, defaultValue, unset }: Setting): string {
  return defaultValue === null
    ? `${comment(`${description} Unset: ${unset}.`)}\n# ${name}=`
    : `${comment(description)}\n${name}=${defaultValue}`;
}

function comment(text: string): string {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + word.length < WIDTH) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(`# ${word}`);
  }
  return lines.join('\n');
}
