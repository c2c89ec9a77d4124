-- Shadow replays: what extractions would have made of the same messages with other settings, kept beside what is served.

-- user_id: whose extractions; null: of all users. since, until: when they were accepted. preset, model, prompt: used in
-- place of what counts otherwise. phase: what the runs do, or did last.
create table replays (
  id uuid not null,
  tenant_id uuid not null constraint replays_tenant_fkey references tenants (id) on delete cascade,
  user_id text,
  since timestamptz,
  until timestamptz,
  preset text,
  model text,
  prompt text,
  phase text not null default 'extract',
  estimate jsonb not null,
  created_at timestamptz not null default now(),
  constraint replays_phase_check check (phase in ('extract', 'apply', 'undo', 'discarded'))
);
create index replays_list_idx on replays (tenant_id, created_at desc, id desc);
alter table replays add constraint replays_pkey primary key (id, tenant_id);

-- One extraction of a replay, or the change of one user's memories. Those of a user run one after another, by position.
-- extraction_id: null for a change. changed: the memories of a change, for its undo.
create table replay_runs (
  id uuid not null,
  tenant_id uuid not null,
  replay_id uuid not null,
  user_id text not null,
  kind text not null,
  position bigint not null,
  extraction_id uuid,
  state text not null default 'pending',
  attempts integer not null default 0,
  fence integer not null default 0,
  lost_claims integer not null default 0,
  counts jsonb not null default '{}',
  changed jsonb,
  deferred_until timestamptz,
  reason text,
  error_class text,
  error_message text,
  model_calls integer not null default 0,
  prompt_tokens integer not null default 0,
  completion_tokens integer not null default 0,
  created_at timestamptz not null default now(),
  next_attempt_at timestamptz,
  queue_checked_at timestamptz,
  started_at timestamptz,
  claimed_by text,
  lease_until timestamptz,
  finished_at timestamptz,
  constraint replay_runs_replay_fkey foreign key (tenant_id, replay_id)
    references replays (tenant_id, id) on delete cascade,
  constraint replay_runs_extraction_fkey foreign key (tenant_id, extraction_id)
    references extractions (tenant_id, id) on delete cascade,
  constraint replay_runs_kind_check check (kind in ('extract', 'apply', 'undo')),
  constraint replay_runs_extraction_check check ((kind = 'extract') = (extraction_id is not null)),
  constraint replay_runs_state_check check (state in ('pending', 'active', 'done', 'failed'))
);
create index replay_runs_order_idx on replay_runs (replay_id, tenant_id, user_id, position);
create index replay_runs_extraction_idx on replay_runs (extraction_id, tenant_id) where extraction_id is not null;
create index replay_runs_user_idx on replay_runs (user_id, tenant_id);
create index replay_runs_open_idx on replay_runs (created_at) where state in ('pending', 'active');
alter table replay_runs add constraint replay_runs_pkey primary key (id, tenant_id);

-- What the model answered, as in extraction_outputs.
create table replay_answers (
  run_id uuid not null,
  number integer not null,
  tenant_id uuid not null,
  status text not null,
  purpose text not null,
  provider text not null,
  model text not null,
  prompt_version text not null,
  raw text not null,
  finish_reason text,
  prompt_tokens integer,
  completion_tokens integer,
  shown jsonb,
  created_at timestamptz not null default now(),
  constraint replay_answers_run_fkey foreign key (tenant_id, run_id)
    references replay_runs (tenant_id, id) on delete cascade,
  constraint replay_answers_status_check check (status in ('pinned', 'rejected')),
  constraint replay_answers_purpose_check check (purpose in ('extract', 'continue', 'reconcile'))
);
create unique index replay_answers_pinned_key on replay_answers (run_id, purpose, tenant_id) where status = 'pinned';
alter table replay_answers add constraint replay_answers_pkey primary key (run_id, number, tenant_id);

-- The memories of the shadow. base_id: the served memory that this is a copy of; the rest come from runs.
-- memory: the row as memories would have it.
create table replay_memories (
  id uuid not null,
  tenant_id uuid not null,
  replay_id uuid not null,
  run_id uuid,
  user_id text not null,
  base_id uuid,
  memory jsonb not null,
  is_current boolean not null generated always as (memory ->> 'valid_to' is null) stored,
  embedding_model text,
  embedding halfvec,
  constraint replay_memories_replay_fkey foreign key (tenant_id, replay_id)
    references replays (tenant_id, id) on delete cascade,
  constraint replay_memories_run_fkey foreign key (tenant_id, run_id)
    references replay_runs (tenant_id, id) on delete cascade,
  constraint replay_memories_base_fkey foreign key (tenant_id, base_id)
    references memories (tenant_id, id) on delete cascade,
  constraint replay_memories_origin_check check ((run_id is null) <> (base_id is null))
);
create index replay_memories_shadow_idx on replay_memories (replay_id, tenant_id, user_id);
create index replay_memories_run_idx on replay_memories (run_id, tenant_id) where run_id is not null;
create index replay_memories_base_idx on replay_memories (base_id, tenant_id) where base_id is not null;
create index replay_memories_user_idx on replay_memories (user_id, tenant_id);
alter table replay_memories add constraint replay_memories_pkey primary key (id, replay_id, tenant_id);
