-- Receipts of erased users. user_id is there only until everything of the user is gone; user_sha256 is that of the
-- receipt's id, a space, and the user's id, so that only who knows the user can tell whom a receipt is about.
create table erasures (
  id uuid not null,
  tenant_id uuid not null constraint erasures_tenant_fkey references tenants (id) on delete cascade,
  user_id text,
  user_sha256 bytea not null,
  requested_by text not null,
  requested_at timestamptz not null default now(),
  finished_at timestamptz,
  counts jsonb not null default '{}',
  constraint erasures_pkey primary key (id, tenant_id),
  constraint erasures_finished_check check ((finished_at is null) = (user_id is not null))
);
create unique index erasures_open_key on erasures (tenant_id, user_id) where finished_at is null;

-- Erasing finds the answers that name a user.
create index idempotency_keys_user_idx on idempotency_keys (tenant_id, (response->>'user_id'));
