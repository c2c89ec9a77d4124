import type { Config } from '@factmill/config';
import {
  checkSchema,
  type Exemption,
  findExemption,
  listOpenBreakers,
  readQueuePressure,
  readServerState,
  readSettings,
  type ServerState,
  type Sql,
} from '@factmill/database';
import { describeExemption, externalStorage, openDatabase } from '@factmill/runtime';
import { createLogger } from '@factmill/telemetry';
import { backlogFinding } from './backlog-finding.ts';
import { clockFinding, examine, failed, type Finding, ok, warning } from './finding.ts';

const OLDEST_VERSION = 150_000;
const TARGET_WAIT_SECONDS = 30;
/** Above this share of the connections a further service may get none. */
const MAX_CONNECTIONS_USED = 0.9;

/** Looks at the Postgres of DATABASE_URL. */
export async function examinePostgres(config: Config): Promise<readonly Finding[]> {
  const logger = createLogger({ service: 'cli', level: 'fatal', destination: process.stderr });
  const database = openDatabase(config, externalStorage(config), 'cli', logger);
  const sql = database.as('login');
  try {
    const from = Date.now();
    const server = await readServerState(sql);
    const until = Date.now();
    return [
      ...serverFindings(server),
      roles(server, await findExemption(sql), config.auth.mode === 'required'),
      clockFinding('clock of Postgres', server.now.getTime(), { from, until }),
      ...(await examine('schema', () => schema(sql))),
      // As the services read: a user who does not own the tables sees rows only as one of the roles.
      ...(await examine('backlog', () => ledger(database.as('system'), config))),
    ];
  } finally {
    await database.close();
  }
}

function serverFindings(server: ServerState): Finding[] {
  const { version, connections, maxConnections } = server;
  const used = `${connections} of ${maxConnections} connections are used`;
  return [
    server.versionNumber >= OLDEST_VERSION
      ? ok('Postgres', version)
      : failed('Postgres', { found: version, advice: 'Upgrade the server: 15 or later is needed.' }),
    ...(server.isReplica
      ? [
          failed('Postgres', {
            found: 'the server is a replica',
            advice: 'Name the primary in DATABASE_URL.',
          }),
        ]
      : []),
    connections <= maxConnections * MAX_CONNECTIONS_USED
      ? ok('connections', used)
      : warning('connections', {
          found: used,
          advice: 'Raise max_connections, lower DATABASE_POOL_MAX, or put a pooler between.',
        }),
  ];
}

function roles({ roles: granted }: ServerState, exemption: Exemption | null, needsThem: boolean): Finding {
  const advice =
    'Let the services log in as a user of their own, which factmill migrate creates (docs/operations/running.md, Database users).';
  if (exemption !== null) {
    const found = `the user of DATABASE_URL ${describeExemption(exemption)}, so no policy applies to it`;
    return (needsThem ? failed : warning)('roles', { found, advice });
  }
  if (granted < 2) {
    const found = 'the user of DATABASE_URL may not act as factmill_app and factmill_system';
    return failed('roles', { found, advice });
  }
  return ok('roles', 'a user of the services, under row-level security');
}

async function schema(sql: Sql): Promise<Finding[]> {
  const warnings: string[] = [];
  const warn = (_fields: object, message: string) => {
    warnings.push(message);
  };
  const { vectorVersion, trigram } = await checkSchema(sql, { logger: { info: () => undefined, warn } });
  return [
    ok('schema', 'up to date and whole'),
    ...(warnings[0] === undefined
      ? [ok('pgvector', vectorVersion)]
      : [
          warning('pgvector', {
            found: warnings[0],
            advice: 'Then run in this database: alter extension vector update;',
          }),
        ]),
    trigram
      ? ok('pg_trgm', 'installed')
      : warning('pg_trgm', {
          found: 'not installed: text search reads the memories of a user one by one',
          advice: 'As a superuser, run in this database: create extension pg_trgm; then factmill migrate.',
        }),
  ];
}

async function ledger(sql: Sql, config: Config): Promise<Finding[]> {
  const down = await listOpenBreakers(sql);
  const changed = (await readSettings(sql))['extraction.enabled'];
  const isEnabled = typeof changed === 'boolean' ? changed : config.extractor.enabled;
  const pressure = await readQueuePressure(sql, { isEnabled, targetWaitSeconds: TARGET_WAIT_SECONDS });
  return [
    ...down.map((provider) =>
      warning('breaker', {
        found: `${provider.split(':', 1)[0] === 'llm' ? 'the chat model' : 'the embedding model'} counts as down`,
        advice:
          'The extractors probe it from time to time. `select * from provider_breakers` says since when and why.',
      }),
    ),
    backlogFinding({
      oldest_waiting_seconds: pressure.oldestWaitingSeconds,
      waiting: pressure.waiting,
      active: pressure.active,
      deferred: pressure.deferred,
      wanted_slots: pressure.wantedSlots,
      paused: pressure.paused,
    }),
  ];
}
