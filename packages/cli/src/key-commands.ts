import {
  type ApiKey,
  DEFAULT_PERMISSIONS,
  lockProblem,
  nameSchema,
  type Permission,
  PERMISSIONS,
  type PresetName,
  presetNameSchema,
  userIdSchema,
} from '@factmill/contracts';
import { AppError } from '@factmill/errors';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { printTable } from './print-table.ts';
import { print } from './with-database.ts';
import { withOperator } from './with-operator.ts';

type CreateOptions = Readonly<{
  tenant?: string;
  name: string;
  permissions: Permission[];
  user?: string;
  locked?: true;
  preset?: PresetName;
  expires?: Date;
}>;

/** `factmill keys create · list · revoke`. */
export function addKeyCommands(program: Command): void {
  const keys = program.command('keys').description('API keys');

  keys
    .command('create')
    .description('create a key and print it, and nothing else; it is shown this once')
    .requiredOption(
      '--name <name>',
      'what the key is for; also the user when nothing else names one',
      parseName,
    )
    .option('--tenant <name>', 'default when left out; created when missing; needs DATABASE_URL', parseName)
    .option('--permissions <list>', `comma-separated, of ${PERMISSIONS.join(', ')}`, parsePermissions, [
      ...DEFAULT_PERMISSIONS,
    ])
    .option('--user <id>', 'user of requests that name none', parseUser)
    .option('--locked', 'refuse all users but --user')
    .addOption(new Option('--preset <name>', 'of its chats and searches').choices(presetNameSchema.options))
    .option('--expires <date>', 'ISO 8601', parseDate)
    .action((options: CreateOptions, command: Command) => createKey(command, options));

  keys
    .command('list')
    .description('show the keys of a tenant, without their secrets; when a key was last used is not stored')
    .option('--tenant <name>', 'whose keys; needs DATABASE_URL')
    .action((options: { tenant?: string }, command: Command) =>
      withOperator(command, async ({ keys }) => {
        const listed = await keys.list(options.tenant);
        if (listed.length === 0) print('This tenant has no keys.');
        else printTable(KEY_COLUMNS, listed.map(toCells));
      }),
    );

  keys
    .command('revoke')
    .description('end a key at once')
    .argument('<id>', 'of the key, as keys list shows it')
    .option('--tenant <name>', 'whose key; needs DATABASE_URL')
    .action((id: string, options: { tenant?: string }, command: Command) =>
      withOperator(command, async ({ keys }) => {
        await keys.revoke(id, options.tenant);
        print('Revoked. Gateways that have seen the key follow within 10 seconds.');
      }),
    );
}

const KEY_COLUMNS = ['id', 'name', 'permissions', 'user', 'created', 'expires', 'state'];

function toCells(key: ApiKey): string[] {
  return [
    key.id,
    key.name,
    key.permissions.join(','),
    userOf(key),
    toDay(key.created_at),
    key.expires_at === null ? 'never' : toDay(key.expires_at),
    stateOf(key),
  ];
}

function stateOf({ revoked_at: revokedAt, expires_at: expiresAt }: ApiKey): string {
  if (revokedAt !== null) return `revoked ${toDay(revokedAt)}`;
  return expiresAt !== null && Date.parse(expiresAt) <= Date.now() ? 'expired' : 'in force';
}

function toDay(timestamp: string): string {
  return timestamp.slice(0, 10);
}

async function createKey(command: Command, options: CreateOptions): Promise<void> {
  const userLocked = options.locked === true;
  const problem = userLocked ? lockProblem({ permissions: options.permissions, userId: options.user }) : null;
  if (problem !== null) throw new AppError('invalid_request', `--locked ${problem}.`);
  const key = {
    name: options.name,
    permissions: options.permissions,
    userId: options.user,
    userLocked,
    preset: options.preset,
    expiresAt: options.expires,
  };
  print(await withOperator(command, ({ keys }) => keys.create(key, options.tenant)));
}

/** The user of a key, and whether the key is locked to it. */
function userOf({ user_id: userId, user_locked: userLocked }: ApiKey): string {
  return userId === null ? '-' : `${userId}${userLocked ? ' (locked)' : ''}`;
}

function parseName(name: string): string {
  if (!nameSchema.safeParse(name).success)
    throw new InvalidArgumentError('give 1 to 128 printable characters');
  return name;
}

function parseUser(id: string): string {
  if (!userIdSchema.safeParse(id).success)
    throw new InvalidArgumentError('give 1 to 256 printable characters');
  return id;
}

function parsePermissions(list: string): Permission[] {
  return list.split(',').map((name) => {
    const permission = PERMISSIONS.find((known) => known === name.trim());
    if (permission === undefined) throw new InvalidArgumentError(`known are ${PERMISSIONS.join(', ')}`);
    return permission;
  });
}

function parseDate(text: string): Date {
  const date = new Date(text);
  if (Number.isNaN(date.getTime())) throw new InvalidArgumentError('give an ISO 8601 date');
  return date;
}
