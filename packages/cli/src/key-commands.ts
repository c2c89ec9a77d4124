import { generateApiKey } from '@factmill/auth';
import {
  DEFAULT_PERMISSIONS,
  lockProblem,
  nameSchema,
  type Permission,
  PERMISSIONS,
  userIdSchema,
} from '@factmill/contracts';
import {
  type ApiKeyRow,
  ensureTenant,
  findTenantId,
  insertApiKey,
  listApiKeys,
  revokeApiKey,
  type Sql,
} from '@factmill/database';
import { AppError } from '@factmill/errors';
import { type Command, InvalidArgumentError } from 'commander';
import { v7 as newId } from 'uuid';
import { printTable } from './print-table.ts';
import { print, withDatabase } from './with-database.ts';

type CreateOptions = Readonly<{
  tenant: string;
  name: string;
  permissions: Permission[];
  user?: string;
  locked?: true;
  expires?: Date;
}>;

/** A caller with access to the database has every permission. */
const BY_OPERATOR = true;

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
    .option('--tenant <name>', 'created when missing', parseName, 'default')
    .option('--permissions <list>', `comma-separated, of ${PERMISSIONS.join(', ')}`, parsePermissions, [
      ...DEFAULT_PERMISSIONS,
    ])
    .option('--user <id>', 'user of requests that name none', parseUser)
    .option('--locked', 'refuse all users but --user')
    .option('--expires <date>', 'ISO 8601', parseDate)
    .action((options: CreateOptions) => withDatabase(({ database }) => createKey(database, options)));

  keys
    .command('list')
    .description('show the keys of a tenant, without their secrets; when a key was last used is not stored')
    .option('--tenant <name>', 'whose keys', 'default')
    .action((options: { tenant: string }) =>
      withDatabase(async ({ database }) => {
        const listed = await listApiKeys(database, await tenantNamed(database, options.tenant));
        if (listed.length === 0) print('This tenant has no keys.');
        else printTable(KEY_COLUMNS, listed.map(toCells));
      }),
    );

  keys
    .command('revoke')
    .description('end a key at once')
    .argument('<id>', 'of the key, as keys list shows it')
    .option('--tenant <name>', 'whose key', 'default')
    .action((id: string, options: { tenant: string }) =>
      withDatabase(async ({ database }) => {
        const tenantId = await tenantNamed(database, options.tenant);
        if (!(await revokeApiKey(database, tenantId, id, BY_OPERATOR))) {
          throw new AppError('not_found', 'There is no key with this id in force for this tenant.');
        }
        print('Revoked. Gateways that have seen the key follow within 10 seconds.');
      }),
    );
}

const KEY_COLUMNS = ['id', 'name', 'permissions', 'user', 'created', 'expires', 'state'];

function toCells(key: ApiKeyRow): string[] {
  return [
    key.id,
    key.name,
    key.permissions.join(','),
    userOf(key),
    toDay(key.createdAt),
    key.expiresAt === null ? 'never' : toDay(key.expiresAt),
    stateOf(key),
  ];
}

function stateOf({ revokedAt, expiresAt }: ApiKeyRow): string {
  if (revokedAt !== null) return `revoked ${toDay(revokedAt)}`;
  return expiresAt !== null && expiresAt.getTime() <= Date.now() ? 'expired' : 'in force';
}

function toDay(date: Date): string {
  return date.toISOString().slice(0, 10);
}

async function createKey(database: Sql, options: CreateOptions): Promise<void> {
  const userLocked = options.locked === true;
  const problem = userLocked ? lockProblem({ permissions: options.permissions, userId: options.user }) : null;
  if (problem !== null) throw new AppError('invalid_request', `--locked ${problem}.`);
  const generated = generateApiKey();
  const row = await insertApiKey(database, {
    id: generated.id,
    tenantId: await ensureTenant(database, options.tenant, newId()),
    secretSha256: generated.secretSha256,
    name: options.name,
    permissions: options.permissions,
    userId: options.user ?? null,
    userLocked,
    expiresAt: options.expires ?? null,
  });
  if (row === undefined) {
    throw new AppError(
      'state_conflict',
      'The tenant has a key with this name; revoke it or choose another name.',
    );
  }
  print(generated.key);
}

/** The user of a key, and whether the key is locked to it. */
function userOf({ userId, userLocked }: ApiKeyRow): string {
  return userId === null ? '-' : `${userId}${userLocked ? ' (locked)' : ''}`;
}

async function tenantNamed(database: Sql, name: string): Promise<string> {
  const id = await findTenantId(database, name);
  if (id === undefined) throw new AppError('not_found', 'There is no tenant with this name.');
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
