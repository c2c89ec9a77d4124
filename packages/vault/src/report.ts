import { rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Folder } from './folder/open-folder.ts';
import { OWN_FOLDER } from './layout.ts';

/** In the vault's folder, for people. */
const REPORT = 'factmill-report.md';
const MAX_LINES = 500;
const MAX_EVENTS = 100;

export type Report = Readonly<{
  /** A file whose text is not taken over, and why. Told again until it is settled. */
  problem: (path: string, sentence: string) => void;
  settled: (path: string) => void;
  /** Something that happened and that a person may want to look at. */
  event: (sentence: string, moment: Date) => void;
  problems: () => ReadonlyMap<string, string>;
  /** Writes the report when it has changed. */
  write: () => Promise<void>;
}>;

/** What people have to know about their files: paths and rules, never a text. */
export function createReport(folder: Folder): Report {
  const problems = new Map<string, string>();
  const events: string[] = [];
  let hasChanged = true;
  return {
    problem(path, sentence) {
      if (problems.get(path) === sentence) return;
      problems.set(path, sentence);
      hasChanged = true;
    },
    settled(path) {
      if (problems.delete(path)) hasChanged = true;
    },
    event(sentence, moment) {
      events.unshift(`- ${moment.toISOString()}: ${sentence}`);
      events.length = Math.min(events.length, MAX_EVENTS);
      hasChanged = true;
    },
    problems: () => problems,
    async write() {
      if (!hasChanged) return;
      hasChanged = false;
      const written = join(folder.root, OWN_FOLDER, 'report.md');
      await writeFile(written, render(problems, events));
      await rename(written, join(folder.root, REPORT));
    },
  };
}

function render(problems: ReadonlyMap<string, string>, events: readonly string[]): string {
  const lines = [...problems]
    .toSorted(([left], [right]) => (left < right ? -1 : 1))
    .slice(0, MAX_LINES)
    .map(([path, sentence]) => `- \`${path}\`: ${sentence}`);
  const more = problems.size > MAX_LINES ? [`- and ${problems.size - MAX_LINES} more`] : [];
  return [
    '# Report of the vault',
    '',
    'Factmill writes this file. What is listed first has not been taken over and waits for you.',
    '',
    '## Files that wait',
    '',
    ...(lines.length === 0 ? ['None.'] : [...lines, ...more]),
    '',
    '## What happened',
    '',
    ...(events.length === 0 ? ['Nothing since the start.'] : events),
    '',
  ].join('\n');
}
