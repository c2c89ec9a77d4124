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
import { parseWhole } from './parse-whole.ts';
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

/** `factmill keys create · list · rotate · revoke`. */
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
    .description('show the keys of a tenant, without their secrets')
    .option('--tenant <name>', 'whose keys; needs DATABASE_URL')
    .action((options: { tenant?: string }, command: Command) =>
      withOperator(command, async ({ keys }) => {
        const listed = await keys.list(options.tenant);
        if (listed.length === 0) print('This tenant has no keys.');
        else printTable(KEY_COLUMNS, listed.map(toCells));
      }),
    );

  keys
    .command('rotate')
    .description('give a key a new secret and print the whole key, and nothing else; it is shown this once')
    .argument('<id>', 'of the key, as keys list shows it', parseId)
    .option(
      '--overlap <seconds>',
      'how long the old secret works beside the new one',
      parseWhole(0, 90 * DAY_S),
      DAY_S,
    )
    .option('--tenant <name>', 'whose key; needs DATABASE_URL')
    .action((id: string, options: Readonly<{ overlap: number; tenant?: string }>, command: Command) =>
      withOperator(command, async ({ keys }) => {
        print(await keys.rotate(id, options.overlap, options.tenant));
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

const DAY_S = 86_400;

const KEY_COLUMNS = ['id', 'name', 'permissions', 'user', 'created', 'last used', 'expires', 'state'];

function toCells(key: ApiKey): string[] {
  return [
    key.id,
    key.name,
    key.permissions.join(','),
    userOf(key),
    toDay(key.created_at),
    key.last_used_at === null ? 'never' : toDay(key.last_used_at),
    key.expires_at === null ? 'never' : toDay(key.expires_at),
    stateOf(key),
  ];
}

/** From this many days before its end on, a key is said to expire. */
const NOTICE_DAYS = 14;

function stateOf({
  revoked_at: revokedAt,
  expires_at: expiresAt,
  previous_secret_until: previous,
}: ApiKey): string {
  if (revokedAt !== null) return `revoked ${toDay(revokedAt)}`;
  const daysLeft = expiresAt === null ? Infinity : (Date.parse(expiresAt) - Date.now()) / (DAY_S * 1_000);
  if (daysLeft <= 0) return 'expired';
  const notice = daysLeft <= NOTICE_DAYS ? `, expires in ${Math.ceil(daysLeft)} days` : '';
  return `in force${notice}${previous === null ? '' : `, old secret until ${previous.slice(0, 16)}Z`}`;
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

function parseId(id: string): string {
  if (!/^[0-9a-f]{16}$/.test(id)) throw new InvalidArgumentError('give the 16 characters of keys list');
  return id;
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
