import { type PresetName, presetNameSchema, type User } from '@factmill/contracts';
import { type Command, Option } from 'commander';
import { parseWhole } from './parse-whole.ts';
import { printTable } from './print-table.ts';
import { print } from './with-database.ts';
import { withOperator } from './with-operator.ts';

type SetOptions = Readonly<{
  tenant?: string;
  preset?: PresetName | 'none';
  memory?: 'on' | 'off';
  retentionDays?: number;
}>;

const COLUMNS = ['id', 'memories', 'conversations', 'last active', 'preset', 'memory'];

/** `factmill users list · set`. */
export function addUserCommands(program: Command): void {
  const users = program.command('users').description('users of a tenant, and what is set for them');

  users
    .command('list')
    .description('show the users of whom something is stored, with counts and last activity')
    .option('--prefix <text>', 'what their ids begin with', '')
    .option('--tenant <name>', 'whose users; needs DATABASE_URL')
    .action((options: Readonly<{ prefix: string; tenant?: string }>, command: Command) =>
      withOperator(command, async (operator) => {
        const rows: string[][] = [];
        for await (const user of operator.users.list(options.prefix, options.tenant))
          rows.push(toCells(user));
        if (rows.length === 0) print('Nothing is stored of such a user.');
        else printTable(COLUMNS, rows);
      }),
    );

  users
    .command('set')
    .description('change what is set for a user; what is left out stays')
    .argument('<id>', 'of the user')
    .addOption(
      new Option('--preset <name>', 'where nothing nearer has one; none for that of the tenant').choices([
        ...presetNameSchema.options,
        'none',
      ]),
    )
    .addOption(
      new Option('--memory <switch>', 'off: nothing more is stored or put into chats').choices(['on', 'off']),
    )
    .option(
      '--retention-days <days>',
      'how long messages are kept; 0 for as long as the tenant keeps them',
      parseWhole(0, 36_500),
    )
    .option('--tenant <name>', 'whose user; needs DATABASE_URL')
    .action((id: string, options: SetOptions, command: Command) =>
      withOperator(command, async (operator) => {
        const { preset, memory, retentionDays, tenant } = options;
        const changes = {
          ...(preset === undefined ? {} : { preset: preset === 'none' ? null : preset }),
          ...(memory === undefined ? {} : { memory: memory === 'on' }),
          ...(retentionDays === undefined
            ? {}
            : { retention_days: retentionDays === 0 ? null : retentionDays }),
        };
        printTable(COLUMNS, [toCells(await operator.users.set(id, changes, tenant))]);
      }),
    );
}

function toCells(user: User): string[] {
  return [
    user.id,
    String(user.memories),
    String(user.conversations),
    user.last_active_at.slice(0, 10),
    user.preset ?? '-',
    user.memory ? 'on' : 'off',
  ];
}
