-- How long a tenant keeps things, what an operator must not let go, and what retention has removed.

-- Days; null: kept. due_at: when the next run of itself is.
create table retention_policies (
  tenant_id uuid not null constraint retention_policies_tenant_fkey references tenants (id) on delete cascade,
  messages_days integer,
  outputs_days integer,
  versions_days integer,
  audit_days integer,
  due_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint retention_policies_pkey primary key (tenant_id),
  constraint retention_policies_days_check check (least(messages_days, outputs_days, versions_days, audit_days) >= 1)
);
create index retention_policies_due_idx on retention_policies (due_at);

-- Runs, and what they removed. Those of the schedule that removed nothing leave no row.
create table retention_runs (
  id uuid not null,
  tenant_id uuid not null constraint retention_runs_tenant_fkey references tenants (id) on delete cascade,
  requested_by text not null,
  requested_at timestamptz not null default now(),
  finished_at timestamptz,
  counts jsonb not null default '{}'
);
create index retention_runs_list_idx on retention_runs (tenant_id, requested_at desc, id desc);
create index retention_runs_open_idx on retention_runs (requested_at) where finished_at is null;
alter table retention_runs add constraint retention_runs_pkey primary key (id, tenant_id);

-- What has to stay, whatever retention and requests for erasure say: of a user, or with '' of the whole tenant.
create table legal_holds (
  id uuid not null,
  tenant_id uuid not null constraint legal_holds_tenant_fkey references tenants (id) on delete cascade,
  user_id text not null default '',
  placed_by text not null,
  placed_at timestamptz not null default now(),
  constraint legal_holds_subject_key unique (tenant_id, user_id)
);
alter table legal_holds add constraint legal_holds_pkey primary key (id, tenant_id);

-- Messages without their text: id, role and time stay, so that memories can still name what they were made from.
-- conversations.removed_seq: messages up to this one were removed by retention.
alter table messages add column removed_at timestamptz;
alter table messages drop constraint messages_content_check;
alter table messages add constraint messages_content_check
  check (content is not null or tool_calls is not null or removed_at is not null);
alter table conversations add column removed_seq integer not null default 0;

create index extraction_outputs_created_idx on extraction_outputs (created_at, tenant_id);
