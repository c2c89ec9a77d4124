import type { PresetName, User } from '@factmill/contracts';
import type { Sql } from '../../pool/sql.ts';

/** Somebody of whom something is stored, and what was set for them. */
export type UserRow = Readonly<{
  id: string;
  createdAt: Date;
  /** When one of the user's conversations or memories last changed. */
  lastActiveAt: Date;
  /** What search can find. */
  memories: number;
  conversations: number;
  preset: PresetName | null;
  memory: boolean;
  retentionDays: number | null;
}>;

type Owner = Readonly<{ tenantId: string; userId: string }>;

/** The counts of each of `page`, rows of users: by conversations_user_idx, and the indexes of a user's memories. */
function counted(page: string): string {
  return `select u.user_id as id, u.created_at as "createdAt", u.preset, u.memory, u.retention_days as "retentionDays",
       m.count as memories, c.count as conversations,
       greatest(u.created_at, m.changed_at, c.last_active_at) as "lastActiveAt"
     from (${page}) as u
     cross join lateral (
       select count(*) filter (where is_current and (expires_at is null or expires_at > now()))::integer as count,
         max(updated_at) as changed_at
       from memories where tenant_id = u.tenant_id and user_id = u.user_id collate "default") as m
     cross join lateral (
       select count(*)::integer as count, max(last_active_at) as last_active_at
       from conversations where tenant_id = u.tenant_id and user_id = u.user_id collate "default") as c
     order by u.user_id`;
}

/** The last character that an id may have: all ids with a prefix are below the prefix and this one. */
const AFTER_ALL = '\u{10FFFF}';

/** So many ids are read for one page of those that contain something. */
const MAX_SCANNED = 50_000;

/** Ids that begin with $2 (below $3) and come after $4. */
const IN_RANGE = `tenant_id = $1::uuid and user_id >= $2::text and user_id < $3::text
  and ($4::text is null or user_id > $4::text)`;

export type UserFilter = Readonly<{
  tenantId: string;
  prefix: string;
  /** Somewhere in the id, whatever the capitals; '' for all. */
  contains: string;
  after: string | null;
  limit: number;
  /** How many ids are read for a page. */
  maxScanned?: number;
}>;

/**
 * The users of a tenant whose ids begin with `prefix` and contain `contains`, in the order of their bytes. `next` is the
 * id after which the next page begins; null at the end. Uses users_pkey.
 */
export async function listUsers(
  sql: Sql,
  { tenantId, prefix, contains, after, limit, maxScanned = MAX_SCANNED }: UserFilter,
): Promise<Readonly<{ rows: UserRow[]; next: string | null }>> {
  const range = [tenantId, prefix, prefix + AFTER_ALL, after];
  const end =
    contains === ''
      ? undefined
      : await sql.maybeOne<{ id: string }>(
          `select user_id as id from users where ${IN_RANGE} order by user_id offset $5::integer limit 1`,
          [...range, maxScanned - 1],
        );
  const { rows } = await sql.query<UserRow>(
    counted(`select * from users where ${IN_RANGE} and ($6::text is null or user_id <= $6::text)
         and ($7::text = '' or strpos(lower(user_id collate "default"), lower($7::text)) > 0)
       order by user_id limit $5::integer`),
    [...range, limit + 1, end?.id ?? null, contains],
  );
  const page = rows.slice(0, limit);
  return { rows: page, next: rows.length > limit ? (page.at(-1)?.id ?? null) : (end?.id ?? null) };
}

/** One user, or undefined when nothing of them was ever stored. */
export function findUser(sql: Sql, { tenantId, userId }: Owner): Promise<UserRow | undefined> {
  return sql.maybeOne<UserRow>(
    counted('select * from users where tenant_id = $1::uuid and user_id = $2::text'),
    [tenantId, userId],
  );
}

/** A user in the form of the REST contract. */
export function toUser(row: UserRow): User {
  return {
    id: row.id,
    created_at: row.createdAt.toISOString(),
    last_active_at: row.lastActiveAt.toISOString(),
    memories: row.memories,
    conversations: row.conversations,
    preset: row.preset,
    memory: row.memory,
    retention_days: row.retentionDays,
  };
}

/** Fields that are undefined stay as they are; null gives a setting back to the tenant. */
export type UserChanges = Readonly<{
  preset?: PresetName | null | undefined;
  memory?: boolean | undefined;
  retention_days?: number | null | undefined;
}>;

/** Changes what is set for a user; false when there is no such user. */
export async function updateUser(
  sql: Sql,
  { tenantId, userId }: Owner,
  changes: UserChanges,
): Promise<boolean> {
  // A tenant has runs of retention once it, or one of its users, has a number of days.
  const { rowCount } = await sql.query(
    `with due as (
       insert into retention_policies as r (tenant_id)
         select $1::uuid where ($3::jsonb)->>'retention_days' is not null
           and exists (select from users where tenant_id = $1::uuid and user_id = $2::text)
       on conflict (tenant_id) do update set due_at = now()
     )
     update users set
       preset = case when p ? 'preset' then p->>'preset' else preset end,
       memory = coalesce((p->>'memory')::boolean, memory),
       retention_days = case when p ? 'retention_days' then (p->>'retention_days')::integer else retention_days end,
       updated_at = now()
     from (select $3::jsonb as p) as patch
     where tenant_id = $1::uuid and user_id = $2::text`,
    [tenantId, userId, JSON.stringify(changes)],
  );
  return rowCount > 0;
}

/** What counts for a user where neither a request, a conversation nor a key says it. */
export type UserDefaults = Readonly<{
  /** Of the user, else of the tenant; null for that of the deployment. */
  preset: PresetName | null;
  /** Whether anything is stored and used of the user. */
  memory: boolean;
}>;

/** Uses tenants_pkey and users_pkey. */
export async function findUserDefaults(sql: Sql, { tenantId, userId }: Owner): Promise<UserDefaults> {
  const row = await sql.maybeOne<UserDefaults>(
    `select coalesce(u.preset, t.default_preset) as preset, coalesce(u.memory, true) as memory
     from tenants t left join users u on u.tenant_id = t.id and u.user_id = $2::text
     where t.id = $1::uuid`,
    [tenantId, userId],
    { name: 'find_user_defaults' },
  );
  return row ?? { preset: null, memory: true };
}
