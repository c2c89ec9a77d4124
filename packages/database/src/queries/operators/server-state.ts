import type { Sql } from '../../pool/sql.ts';

/** What a server says of itself and of the user of the connection. */
export type ServerState = Readonly<{
  /** As a number: 180001 is 18.1. */
  versionNumber: number;
  version: string;
  isReplica: boolean;
  /** The same for a server and its replicas. */
  system: string;
  /** Bytes of its log: written to disk, or applied by a replica. */
  position: string;
  /** Age of the last commit that a replica has applied; null where there is none. */
  behindSeconds: number | null;
  /** Roles of the services that the user may act as, of 2. */
  roles: number;
  connections: number;
  maxConnections: number;
  now: Date;
}>;

/** Reads the catalogue only. */
export function readServerState(sql: Sql): Promise<ServerState> {
  return sql.one<ServerState>(
    `select current_setting('server_version_num')::integer as "versionNumber",
       split_part(current_setting('server_version'), ' ', 1) as version,
       pg_is_in_recovery() as "isReplica",
       (select system_identifier::text from pg_control_system()) as system,
       (case when pg_is_in_recovery() then pg_last_wal_replay_lsn() else pg_current_wal_flush_lsn() end
         - '0/0'::pg_lsn)::text as position,
       extract(epoch from clock_timestamp() - pg_last_xact_replay_timestamp())::float8 as "behindSeconds",
       (select count(*)::integer from pg_roles
         where rolname in ('factmill_app', 'factmill_system') and pg_has_role(oid, 'member')) as roles,
       (select count(*)::integer from pg_stat_activity where backend_type = 'client backend') as connections,
       current_setting('max_connections')::integer as "maxConnections",
       clock_timestamp() as now`,
  );
}
