import { readdirSync, readFileSync } from 'node:fs';
import { resolvePrompts } from './resolve-prompts.ts';
import { type Prompts, PROMPTS_FOLDER } from './template.ts';

/** Our template files by name, as a loader reads them. */
export function readOwnPromptFiles(): Map<string, string> {
  return new Map(
    readdirSync(PROMPTS_FOLDER).map((name) => [name, readFileSync(new URL(name, PROMPTS_FOLDER), 'utf8')]),
  );
}

export function readOwnPrompts(): Prompts {
  const { prompts, problems } = resolvePrompts(readOwnPromptFiles(), new Map());
  if (prompts === null) throw new Error(problems.join('\n'));
  return prompts;
}
