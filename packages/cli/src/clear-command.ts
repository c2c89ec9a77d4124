import { loadProcessEnvironment, localUserOf } from '@factmill/config';
import { AppError } from '@factmill/errors';
import type { Command } from 'commander';
import { print } from './with-database.ts';
import { withOperator } from './with-operator.ts';

type Options = Readonly<{ user?: string; tenant?: string; confirm: string }>;

/** `factmill clear`: removes everything that is remembered of a user (A21). */
export function addClearCommand(program: Command): void {
  program
    .command('clear')
    .description('remove everything that is remembered of a user, with the conversations it was made from')
    .requiredOption('--confirm <id>', 'the id of the user, so that nobody is cleared by mistake')
    .option('--user <id>', 'whose memory; your own when left out')
    .option('--tenant <name>', 'default when left out; needs DATABASE_URL')
    .action(async (options: Options, command: Command) => {
      const user = localUserOf(loadProcessEnvironment(), { told: options.user, hasKey: false });
      if (user === undefined || options.confirm !== user) {
        throw new AppError('invalid_request', '--confirm is not the id of the user. Nothing was removed.');
      }
      const cleared = await withOperator(command, ({ clear }) => clear(user, options.tenant));
      const { memories, conversations, documents, summaries } = cleared;
      print(
        `Removed of ${user}: ${memories} memories, ${conversations} conversations, ${documents} documents, ${summaries} summaries. The memories can be restored until they are purged.`,
      );
    });
}
