import type { RetentionDays } from '@factmill/contracts';
import type { Sql } from '../../pool/sql.ts';

const COLUMNS = 'messages_days, outputs_days, versions_days, events_days, audit_days';

const KEEPS_ALL: RetentionDays = {
  messages_days: null,
  outputs_days: null,
  versions_days: null,
  events_days: null,
  audit_days: null,
};

/** How long a tenant keeps things. */
export async function findRetention(sql: Sql, tenantId: string): Promise<RetentionDays> {
  const row = await sql.maybeOne<RetentionDays>(
    `select ${COLUMNS} from retention_policies where tenant_id = $1::uuid`,
    [tenantId],
  );
  return row ?? KEEPS_ALL;
}

/** Sets the given numbers of days; null keeps things for good. The next run of the schedule is due at once. */
export async function updateRetention(
  sql: Sql,
  tenantId: string,
  changes: Readonly<{ [K in keyof RetentionDays]?: RetentionDays[K] | undefined }>,
): Promise<RetentionDays> {
  await sql.query(
    `insert into retention_policies (tenant_id) values ($1::uuid) on conflict (tenant_id) do nothing`,
    [tenantId],
  );
  const set = (column: keyof RetentionDays) =>
    `${column} = case when p ? '${column}' then (p->>'${column}')::integer else ${column} end`;
  return sql.one<RetentionDays>(
    `update retention_policies set ${set('messages_days')}, ${set('outputs_days')}, ${set('versions_days')},
       ${set('events_days')}, ${set('audit_days')}, due_at = now(), updated_at = now()
     from (select $2::jsonb as p) as patch
     where tenant_id = $1::uuid returning ${COLUMNS}`,
    [tenantId, JSON.stringify(changes)],
  );
}
