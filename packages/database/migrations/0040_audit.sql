-- The audit says who did what to whom, without text: ids, codes, names of changed fields and counts. Every record has
-- the hash of the one before it in its own hash, so that a record that is changed, removed or moved is found. They are
-- written by append_audit only; a trigger refuses to change or remove them.

-- The end of a tenant's chain. secret: the key of pseudonyms. cut_number, cut_hash: the last record that retention
-- removed, which a later record says too.
create table audit_chains (
  tenant_id uuid not null constraint audit_chains_tenant_fkey references tenants (id),
  secret bytea not null,
  last_number bigint not null default 0,
  last_hash bytea not null default decode(repeat('00', 32), 'hex'),
  cut_number bigint not null default 0,
  cut_hash bytea not null default decode(repeat('00', 32), 'hex'),
  constraint audit_chains_pkey primary key (tenant_id)
);

-- user_pseudonym: HMAC-SHA256 of the user's id with the tenant's secret, in hex. target_id: an id that Factmill made, a
-- name of ours, or for users and conversations, whose ids are callers' text, a pseudonym too.
create table audit_records (
  tenant_id uuid not null constraint audit_records_tenant_fkey references tenants (id),
  number bigint not null,
  at timestamptz not null,
  actor text not null,
  action text not null,
  target_kind text,
  target_id text,
  user_pseudonym text,
  outcome text not null,
  request_id text,
  reason text,
  fields text[] not null,
  counts jsonb not null,
  prev_hash bytea not null,
  hash bytea not null,
  constraint audit_records_outcome_check check (outcome in ('done', 'refused'))
);
create index audit_records_user_idx on audit_records (tenant_id, user_pseudonym, number)
  where user_pseudonym is not null;
create index audit_records_at_idx on audit_records (tenant_id, at);
alter table audit_records add constraint audit_records_pkey primary key (tenant_id, number);

-- A key that reads the audit of a whole tenant reaches beyond one user.
alter table api_keys drop constraint api_keys_lock_check;
alter table api_keys add constraint api_keys_lock_check check (not user_locked or (
  user_id is not null and not permissions && array['memory.read_all', 'admin', 'operator', 'audit.read']));
