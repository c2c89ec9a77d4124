import { loadProcessEnvironment, localUserOf } from '@factmill/config';
import type { ImportItem } from '@factmill/contracts';
import { AppError } from '@factmill/errors';
import { OPENCLAW, parseExport, readOpenClaw } from '@factmill/exchange';
import type { Command } from 'commander';
import { readFile } from 'node:fs/promises';
import { importExport, isExport } from './import-export.ts';
import { print } from './with-database.ts';
import { withOperator } from './with-operator.ts';

type Options = Readonly<{ user?: string; tenant?: string; dryRun?: true }>;

/** The items of one request: of the longest texts they make up half of what a request may have. */
const ITEMS_AT_A_TIME = 100;

/** `factmill import openclaw · jsonl`. */
export function addImportCommands(program: Command): void {
  const imports = program.command('import').description('memories from files; a second run stores nothing');
  const source = (name: string) =>
    imports
      .command(name)
      .option('--user <id>', 'whose memories; your own when left out')
      .option('--tenant <name>', 'default when left out; needs DATABASE_URL')
      .option('--dry-run', 'say what would be stored, and store nothing');
  source('openclaw')
    .description('a workspace of OpenClaw: MEMORY.md becomes the core profile, journals become events')
    .argument('<dir>', 'folder with MEMORY.md and memory/2026-05-10.md')
    .action(async (dir: string, options: Options, command: Command) =>
      importItems(OPENCLAW, await readOpenClaw(dir), options, command),
    );
  source('jsonl')
    .description('what factmill export has written; users, ids and times stay as they are in it')
    .argument('<file>', 'JSON Lines')
    .action(async (file: string, options: Options, command: Command) => {
      if (!(await isExport(file))) {
        await importItems('factmill', parseExport(await readText(file)), options, command);
        return;
      }
      if (options.dryRun) {
        throw new AppError(
          'invalid_request',
          '--dry-run is for memories; this file is an export with everything.',
        );
      }
      const { user, tenant } = options;
      await withOperator(command, (operator) => importExport(operator, file, { user, tenant }));
    });
}

async function importItems(
  source: string,
  items: readonly ImportItem[],
  options: Options,
  command: Command,
): Promise<void> {
  const user = localUserOf(loadProcessEnvironment(), { told: options.user, hasKey: false });
  if (user === undefined) throw new AppError('invalid_request', 'Say whose memories these are: --user.');
  const counts = new Map<string, number>();
  await withOperator(command, async (operator) => {
    for (let from = 0; from < items.length; from += ITEMS_AT_A_TIME) {
      const batch = {
        source,
        items: items.slice(from, from + ITEMS_AT_A_TIME),
        dryRun: options.dryRun === true,
      };
      for (const { status, reason } of await operator.import(user, batch, options.tenant)) {
        const what = reason === undefined ? status : `${status} (${reason})`;
        counts.set(what, (counts.get(what) ?? 0) + 1);
      }
    }
  });
  const summary = [...counts].map(([what, count]) => `${count} ${what}`).join(', ');
  print(`${items.length} items for ${user}: ${summary || 'none'}.`);
  if (options.dryRun) print('Nothing was stored.');
}

async function readText(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new AppError('invalid_request', `The file cannot be read (${code ?? 'unknown error'}).`, {
      cause: error,
    });
  }
}
