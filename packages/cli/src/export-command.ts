import { loadProcessEnvironment, localUserOf } from '@factmill/config';
import { AppError } from '@factmill/errors';
import { toExportHeader, toExportLine } from '@factmill/exchange';
import type { Command } from 'commander';
import { open } from 'node:fs/promises';
import { print } from './with-database.ts';
import { withOperator } from './with-operator.ts';

type Options = Readonly<{ user?: string; tenant?: string }>;

/** `factmill export`: the current memories of a user as JSON Lines, for `factmill import jsonl`. */
export function addExportCommand(program: Command): void {
  program
    .command('export')
    .description('write the current memories of a user to a new file, as JSON Lines')
    .argument('<file>', 'for example maya.jsonl; only you may read it')
    .option('--user <id>', 'whose memories; your own when left out')
    .option('--tenant <name>', 'default when left out; needs DATABASE_URL')
    .action(async (path: string, options: Options, command: Command) => {
      const user = localUserOf(loadProcessEnvironment(), { told: options.user, hasKey: false });
      if (user === undefined) throw new AppError('invalid_request', 'Say whose memories: --user.');
      await withOperator(command, async ({ memoriesOf }) => {
        const file = await openNew(path);
        let count = 0;
        try {
          await file.write(`${toExportHeader(user, new Date())}\n`);
          for await (const memory of memoriesOf(user, options.tenant)) {
            await file.write(`${toExportLine(memory)}\n`);
            count += 1;
          }
          await file.sync();
        } finally {
          await file.close();
        }
        print(`Exported ${count} memories of ${user} to ${path}.`);
      });
    });
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
