import { createHash, createHmac, pbkdf2Sync, randomBytes } from 'node:crypto';
import { AppError } from '@factmill/errors';
import { Client } from 'pg';
import { sqlStateOf } from '../pool/database-errors.ts';
import type { Sql } from '../pool/sql.ts';
import { APP_ROLE, SYSTEM_ROLE } from '../pool/tenant-scope.ts';

/** How services reach the database. */
export type ServiceAccess = Readonly<{
  /** With the name and the password of their user. */
  url: string;
  /** Whether the queue is in the same database, in a schema that the services create. */
  hasQueue: boolean;
}>;

/** 42501: not allowed; 42704: to a role that could not be created. */
const REFUSED = new Set(['42501', '42704']);
/** Another migration of the same server has just created it. */
const EXISTS = new Set(['42710', '23505']);
/** 28P01: wrong password; 28000: may not log in. */
const NO_LOGIN = new Set(['28P01', '28000']);
/** As Postgres's own. */
const SCRAM_ITERATIONS = 4_096;

/** What the user lacks, in the order in which it has to be granted. */
const LACKING = `
  with given as (select oid from pg_roles where rolname = $1::text)
  select text from (values
    (1, not exists (select from given), format('create role %I login', $1::text)),
    (2, 2 > (select count(*) from pg_auth_members m join given on given.oid = m.member
          join pg_roles r on r.oid = m.roleid and r.rolname in ('${APP_ROLE}', '${SYSTEM_ROLE}')),
      format('grant ${APP_ROLE}, ${SYSTEM_ROLE} to %I', $1::text)),
    (3, $2::boolean and not coalesce((select has_database_privilege(oid, current_database(), 'create') from given), false),
      format('grant create on database %I to %I', current_database(), $1::text)),
    (4, $2::boolean and exists (select from pg_namespace where nspname = 'factmill_queue'
          and nspowner is distinct from (select oid from given)),
      -- The services create it anew, and fill the queue from the ledger.
      'drop schema factmill_queue cascade')
  ) as steps (place, is_lacking, text)
  where is_lacking and $1::text <> current_user order by place`;

/** Dropping the queue of services that may still be running is for a person to decide. */
const isForAPerson = (text: string) => text.startsWith('drop ');

/**
 * Creates the user that services log in as, gives it its password if it cannot log in, and grants it what services need:
 * it owns no table, so that the policies of the tables apply to it. Changes only what is missing. Resolves to the
 * statements that are left for an administrator of the server, without a password.
 *
 * @throws AppError `config_invalid` when the URL has no user
 */
export async function provideServiceUser(sql: Sql, access: ServiceAccess): Promise<string[]> {
  const { username, password } = new URL(access.url);
  const user = decodeURIComponent(username);
  if (user === '') throw new AppError('config_invalid', 'DATABASE_URL has to name a user.');
  const { rows } = await sql.query<{ text: string }>(LACKING, [user, access.hasQueue]);
  const left: string[] = [];
  for (const { text } of rows) {
    if (isForAPerson(text) || !(await isDone(sql, text))) left.push(`${text};`);
  }
  if (password === '' || (await canLogIn(access.url))) return left;
  const change = (secret: string) =>
    sql.one<{ text: string }>(
      `select format('alter role %I login password %L', $1::text, $2::text) as text`,
      [user, secret],
    );
  // The server may log statements: it gets what it would store, not the password.
  const { text } = await change(scramVerifier(decodeURIComponent(password)));
  return (await isDone(sql, text)) ? left : [...left, `${(await change('…')).text};`];
}

/** False: an administrator has to run it. */
async function isDone(sql: Sql, text: string): Promise<boolean> {
  try {
    await sql.query(text);
    return true;
  } catch (error) {
    const state = sqlStateOf(error) ?? '';
    if (EXISTS.has(state)) return true;
    if (REFUSED.has(state)) return false;
    throw error;
  }
}

/** False when the server refuses the user. That it cannot be reached is for the services to find out. */
async function canLogIn(connectionString: string): Promise<boolean> {
  const client = new Client({ connectionString, connectionTimeoutMillis: 10_000 });
  client.on('error', () => undefined);
  try {
    await client.connect();
    return true;
  } catch (error) {
    return !NO_LOGIN.has(sqlStateOf(error) ?? '');
  } finally {
    await client.end().catch(() => undefined);
  }
}

/** What Postgres stores of a password (RFC 5803). */
function scramVerifier(password: string): string {
  const salt = randomBytes(16);
  const salted = pbkdf2Sync(password.normalize('NFKC'), salt, SCRAM_ITERATIONS, 32, 'sha256');
  const keyOf = (name: string) => createHmac('sha256', salted).update(name).digest();
  const storedKey = createHash('sha256').update(keyOf('Client Key')).digest('base64');
  const serverKey = keyOf('Server Key').toString('base64');
  return `SCRAM-SHA-256$${SCRAM_ITERATIONS}:${salt.toString('base64')}$${storedKey}:${serverKey}`;
}
