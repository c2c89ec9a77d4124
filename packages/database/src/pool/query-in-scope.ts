import { AppError } from '@factmill/errors';
import {
  type Connection,
  type PoolClient,
  Query,
  type QueryConfig,
  type QueryResult,
  type Submittable,
} from 'pg';
import { sqlStateOf } from './database-errors.ts';
import { APP_ROLE, type Scope, SYSTEM_ROLE } from './tenant-scope.ts';

const PREPARED = 'factmill_scope';
const TEXT = `select set_config('role', $1::text, true), set_config('factmill.tenant_id', $2::text, true)`;

type RunQuery = (config: QueryConfig) => Promise<QueryResult>;

/** `as-needed`: when the policies apply to the user of the connection, who would see nothing otherwise. */
export type RowSecurity = 'always' | 'as-needed';

/**
 * Prepares a new connection for `queryInScope`, and makes sure that it may take the roles. Resolves to whether its
 * statements have scopes.
 *
 * @param query runs statements on that connection, with a limit
 * @param isPrepared whether statements keep their names on that connection
 * @throws AppError `config_invalid` when it may not
 */
export async function prepareScopes(
  query: RunQuery,
  rowSecurity: RowSecurity,
  isPrepared: boolean,
): Promise<boolean> {
  if (rowSecurity === 'as-needed' && !(await isRestricted(query))) return false;
  try {
    const named = isPrepared ? { name: PREPARED } : {};
    await query({ ...named, text: TEXT, values: [SYSTEM_ROLE, ''] });
    await query({ ...named, text: TEXT, values: [APP_ROLE, ''] });
    return true;
  } catch (error) {
    // 22023: no such role; 42501: not granted.
    if (!['22023', '42501'].includes(sqlStateOf(error) ?? '')) throw error;
    throw new AppError(
      'config_invalid',
      `The user of DATABASE_URL may not act as ${APP_ROLE} and ${SYSTEM_ROLE}, which keep tenants apart. ` +
        'Put the address with the owner of the tables into DATABASE_OWNER_URL and run the migrate command, which ' +
        'grants both to that user (docs/operations/running.md, Database users).',
      { cause: error },
    );
  }
}

/** Whether the policies apply to the user of the connection: not to the owner of the tables, nor to a superuser. */
async function isRestricted(query: RunQuery): Promise<boolean> {
  const { rows } = await query({
    text: `select row_security_active(oid) as active from pg_class
      where relname = 'memories' and relnamespace = current_schema()::regnamespace`,
  });
  const [row] = rows as { active: boolean }[];
  return row?.active === true;
}

/**
 * Runs one statement in a scope, in one round trip: the scope and the statement are executed before one Sync, which
 * makes them one transaction. So the scope ends with the statement, whatever becomes of it.
 */
export function queryInScope(
  client: PoolClient,
  config: QueryConfig,
  scope: Scope,
  isPrepared: boolean,
): Promise<QueryResult> {
  return new Promise((resolve, reject) => {
    const statement = new QueryInScope(config, scope, (error, result) => {
      if (error === null) resolve(result);
      else reject(error);
    });
    statement.isScopePrepared = isPrepared;
    client.query(statement);
  });
}

/** Methods of pg's queries that its types omit. */
type PgQuery = Submittable & {
  prepare(connection: Connection): void;
  handleDataRow(message: unknown): void;
  handleCommandComplete(message: unknown, connection: Connection): void;
};
type Callback = (error: Error | null, result: QueryResult) => void;
type Extended = QueryConfig & Readonly<{ queryMode: 'extended' }>;

const BaseQuery = Query as unknown as new (
  config: Extended,
  values: undefined,
  callback: Callback,
) => PgQuery;

class QueryInScope extends BaseQuery {
  isScopePrepared = true;
  readonly #scope: Scope;
  #isInScope = false;

  constructor(config: QueryConfig, scope: Scope, callback: Callback) {
    super({ ...config, queryMode: 'extended' }, undefined, callback);
    this.#scope = scope;
  }

  override prepare(connection: Connection): void {
    const statement = this.isScopePrepared ? PREPARED : '';
    if (!this.isScopePrepared) connection.parse({ name: statement, text: TEXT, types: [] }, true);
    connection.bind({ statement, values: [this.#scope.role, this.#scope.tenantId] }, true);
    connection.execute({}, true);
    super.prepare(connection);
  }

  /** The first row is that of the scope. */
  override handleDataRow(message: unknown): void {
    if (this.#isInScope) super.handleDataRow(message);
  }

  override handleCommandComplete(message: unknown, connection: Connection): void {
    if (this.#isInScope) super.handleCommandComplete(message, connection);
    else this.#isInScope = true;
  }
}
