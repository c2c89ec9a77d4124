import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ROOT } from './compose-file.ts';

type Instruction = Readonly<{ name: string; rest: string }>;

/** Instructions of one `FROM … `, that one first. */
export type Stage = readonly Instruction[];

/** The stages of `infra/Dockerfile`; comments gone, continued lines joined. Heredocs are not used there. */
export async function loadDockerfile(): Promise<readonly Stage[]> {
  const text = await readFile(join(ROOT, 'infra/Dockerfile'), 'utf8');
  const lines = text.split('\n').filter((line) => !/^\s*(#|$)/.test(line));
  const stages: Instruction[][] = [];
  for (const line of lines
    .join('\n')
    .replaceAll(/\\\n\s*/g, '')
    .split('\n')) {
    const [, name = '', rest = ''] = /^(\w+)\s+(.*)$/.exec(line) ?? [];
    if (name === 'FROM') stages.push([]);
    stages.at(-1)?.push({ name, rest });
  }
  return stages;
}

/** What follows the last instruction of this name in a stage. */
export function lastOf(stage: Stage, name: string): string | undefined {
  return stage.findLast((instruction) => instruction.name === name)?.rest;
}

/** The arguments of an instruction in exec form. Throws for the shell form. */
export function execForm(rest: string): readonly string[] {
  const parsed: unknown = JSON.parse(rest.slice(rest.indexOf('[')));
  if (!rest.trimEnd().endsWith(']') || !Array.isArray(parsed)) throw new Error('not in exec form');
  return parsed as string[];
}

/** The image's health check as Compose would write it. */
export function healthcheckOf(stage: Stage): readonly string[] {
  const rest = lastOf(stage, 'HEALTHCHECK') ?? '';
  const command = /\bCMD\s+(.*)$/.exec(rest)?.[1];
  if (command === undefined) throw new Error('the image has no health check');
  return ['CMD', ...execForm(command)];
}
