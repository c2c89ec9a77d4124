-- Compression: events become facts, knowledge is merged, the profile is refreshed; per user and period, once.

-- When an event was taken up by a compression; null for what still waits.
alter table memories add column compressed_at timestamptz;
create index memories_uncompressed_idx on memories (tenant_id, user_id, stated_at)
  where tier = 3 and is_current and compressed_at is null;

-- One row per period that is due, known by the last day it covers: how far the search for users with work has come.
-- after_tenant and after_user are where it goes on; finished_at says that every user with work has a run.
create table compression_periods (
  kind text not null,
  period date not null,
  due_at timestamptz not null,
  until_at timestamptz not null,
  after_tenant uuid,
  after_user text,
  runs integer not null default 0,
  started_at timestamptz not null default now(),
  finished_at timestamptz,
  constraint compression_periods_pkey primary key (kind, period),
  constraint compression_periods_kind_check check (kind in ('daily', 'weekly'))
);

-- The ledger of compression, one row per user, kind and period (and any number of dry runs, which end as 'proposed').
-- plan names the memories that the run is about, fixed at its first claim; decisions are the changes it came to.
-- attempts, fence, lost_claims, generation and the lease mean what they mean in extractions.
create table compression_runs (
  id uuid constraint compression_runs_pkey primary key,
  tenant_id uuid not null constraint compression_runs_tenant_fkey references tenants (id) on delete cascade,
  user_id text not null,
  kind text not null,
  period date not null,
  until_at timestamptz not null,
  dry_run boolean not null default false,
  state text not null default 'pending',
  attempts integer not null default 0,
  fence integer not null default 0,
  lost_claims integer not null default 0,
  generation integer not null default 0,
  plan jsonb,
  decisions jsonb,
  counts jsonb not null default '{}',
  error_class text,
  error_message text,
  model_calls integer not null default 0,
  prompt_tokens integer not null default 0,
  completion_tokens integer not null default 0,
  model_ms integer not null default 0,
  created_at timestamptz not null default now(),
  next_attempt_at timestamptz,
  queue_checked_at timestamptz,
  started_at timestamptz,
  claimed_by text,
  lease_until timestamptz,
  finished_at timestamptz,
  constraint compression_runs_kind_check check (kind in ('daily', 'weekly')),
  constraint compression_runs_state_check check (state in ('pending', 'active', 'done', 'failed', 'proposed'))
);
create unique index compression_runs_period_key on compression_runs (tenant_id, user_id, kind, period)
  where not dry_run;
create index compression_runs_user_idx on compression_runs (tenant_id, user_id, created_at desc);
create index compression_runs_open_idx on compression_runs (created_at) where state in ('pending', 'active');
create index compression_runs_finished_idx on compression_runs (finished_at) where plan is not null;

-- What the model answered to each step of a plan, kept before anything is done with it. At most one is pinned; those
-- that could not be used stay as 'rejected'.
create table compression_answers (
  run_id uuid not null constraint compression_answers_run_fkey references compression_runs (id) on delete cascade,
  step text not null,
  number integer not null,
  status text not null,
  model text not null,
  prompt_version text not null,
  raw text not null,
  finish_reason text,
  created_at timestamptz not null default now(),
  constraint compression_answers_pkey primary key (run_id, step, number),
  constraint compression_answers_status_check check (status in ('pinned', 'rejected'))
);
create unique index compression_answers_pinned_key on compression_answers (run_id, step) where status = 'pinned';
