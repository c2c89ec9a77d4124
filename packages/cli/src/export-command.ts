import { loadProcessEnvironment, localUserOf } from '@factmill/config';
import { AppError } from '@factmill/errors';
import type { Command } from 'commander';
import { open } from 'node:fs/promises';
import { countExport, describeCounts } from './import-export.ts';
import { print } from './with-database.ts';
import { withOperator } from './with-operator.ts';

type Options = Readonly<{ user?: string; all?: true; tenant?: string }>;

/** `factmill export`: everything of a user, or of all users of a tenant, as JSON Lines for `factmill import jsonl`. */
export function addExportCommand(program: Command): void {
  program
    .command('export')
    .description('write everything of a user, or of all users, to a new file, as JSON Lines')
    .argument('<file>', 'for example maya.jsonl; only you may read it')
    .option('--user <id>', 'of whom; you when left out')
    .option('--all', 'of all users of the tenant')
    .option('--tenant <name>', 'default when left out; needs DATABASE_URL')
    .action(async (path: string, options: Options, command: Command) => {
      const user = userOf(options);
      await withOperator(command, async ({ exportRows }) => {
        const file = await openNew(path);
        try {
          await exportRows(user, options.tenant, async (part) => {
            await file.writeFile(part);
          });
          await file.sync();
        } finally {
          await file.close();
        }
        // An answer that was cut off has no end.
        print(`Exported ${user ?? 'all users'} to ${path}: ${describeCounts(await countExport(path))}.`);
      });
    });
}

/** Null for all users. */
function userOf({ user: told, all }: Options): string | null {
  if (all === true) {
    if (told === undefined) return null;
    throw new AppError('invalid_request', 'Say either --user or --all.');
  }
  const user = localUserOf(loadProcessEnvironment(), { told, hasKey: false });
  if (user === undefined) throw new AppError('invalid_request', 'Say of whom: --user, or --all.');
  return user;
}

async function openNew(path: string) {
  try {
    return await open(path, 'wx', 0o600);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const sentence =
      code === 'EEXIST'
        ? 'The file is there already; give the name of a new one.'
        : `The file cannot be written (${code ?? 'unknown error'}).`;
    throw new AppError('invalid_request', sentence, { cause: error });
  }
}
