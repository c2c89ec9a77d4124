-- Users and tenants as resources, and keys that are rotated.

-- Everybody of whom something was stored, noted by the triggers note_users, and what was set for them. preset: of what is
-- stored and found of the user; null for that of the tenant. memory: false when nothing more of the user is stored,
-- extracted or put into chats. retention_days: how long messages are kept; null for as long as the tenant keeps them.
-- Ids are compared byte by byte, so that those with one beginning stand together whatever the database's collation.
create table users (
  tenant_id uuid not null constraint users_tenant_fkey references tenants (id) on delete cascade,
  user_id text collate "C" not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz,
  preset text,
  memory boolean not null default true,
  retention_days integer,
  constraint users_pkey primary key (tenant_id, user_id),
  constraint users_retention_check check (retention_days >= 1)
);
insert into users (tenant_id, user_id, created_at)
select tenant_id, user_id, min(created_at) from (
  select tenant_id, user_id, created_at from conversations
  union all select tenant_id, user_id, created_at from memories
  union all select tenant_id, user_id, created_at from documents
  union all select tenant_id, user_id, coalesce(updated_at, now()) from summaries
) as known group by tenant_id, user_id;

-- limits: { key_per_second, tenant_per_second } in place of those of the deployment.
alter table tenants add column default_preset text, add column limits jsonb not null default '{}';

-- The secret before the last rotation works until previous_until. last_used_at is exact to a minute.
alter table api_keys add column previous_sha256 bytea, add column previous_until timestamptz,
  add column rotated_at timestamptz, add column last_used_at timestamptz;
