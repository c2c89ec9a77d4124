-- The ledger, the messages it refers to, and the memories that come out of them. Every table is tenant-first.

create table tenants (
  id uuid constraint tenants_pkey primary key,
  name text not null constraint tenants_name_key unique,
  created_at timestamptz not null default now()
);

-- The tenant of requests without an API key (AUTH=none) and of keys created without --tenant.
insert into tenants (id, name) values ('00000000-0000-7000-8000-000000000001', 'default');

create table api_keys (
  id text constraint api_keys_pkey primary key,
  tenant_id uuid not null constraint api_keys_tenant_fkey references tenants (id) on delete cascade,
  secret_sha256 bytea not null,
  name text not null,
  permissions text[] not null,
  user_id text,
  created_at timestamptz not null default now(),
  expires_at timestamptz,
  revoked_at timestamptz,
  constraint api_keys_tenant_name_key unique (tenant_id, name)
);

-- Values an operator changes at run time; they win over the environment. Keys are checked by the code.
create table settings (
  key text constraint settings_pkey primary key,
  value jsonb not null,
  updated_at timestamptz not null default now()
);

-- last_seq: newest message. scheduled_seq: newest message that some extraction covers. extracted_seq: newest
-- message up to which everything is done. Ranges of one conversation never overlap.
create table conversations (
  tenant_id uuid not null constraint conversations_tenant_fkey references tenants (id) on delete cascade,
  id text not null,
  user_id text not null,
  project text,
  title text,
  policy jsonb not null default '{}',
  metadata jsonb not null default '{}',
  last_seq integer not null default 0,
  scheduled_seq integer not null default 0,
  extracted_seq integer not null default 0,
  created_at timestamptz not null default now(),
  last_active_at timestamptz not null default now(),
  extracted_at timestamptz,
  constraint conversations_pkey primary key (tenant_id, id)
);
create index conversations_user_idx on conversations (tenant_id, user_id, last_active_at desc);

create table messages (
  tenant_id uuid not null,
  conversation_id text not null,
  seq integer not null,
  id text not null,
  role text not null,
  content text,
  name text,
  tool_calls jsonb,
  tool_call_id text,
  token_estimate integer not null,
  superseded boolean not null default false,
  created_at timestamptz not null,
  received_at timestamptz not null default now(),
  constraint messages_pkey primary key (tenant_id, conversation_id, seq),
  constraint messages_id_key unique (tenant_id, conversation_id, id),
  constraint messages_conversation_fkey foreign key (tenant_id, conversation_id)
    references conversations (tenant_id, id) on delete cascade,
  constraint messages_role_check
    check (role in ('system', 'developer', 'user', 'assistant', 'tool', 'function')),
  constraint messages_content_check check (content is not null or tool_calls is not null)
);

-- The ledger. accepted_no is the order of acceptance. attempts counts tries that ended (well or badly), so a
-- killed worker or a provider outage burns none; fence counts claims; lost_claims counts the claims in a row whose
-- worker never came back. started_at is the first claim: from then on the row is never dropped. generation grows with each replay and is part of the queue's job id.
create table extractions (
  id uuid constraint extractions_pkey primary key,
  accepted_no bigint generated always as identity,
  tenant_id uuid not null,
  user_id text not null,
  conversation_id text not null,
  from_seq integer not null,
  to_seq integer not null,
  trigger text not null,
  preset text not null,
  state text not null default 'pending',
  attempts integer not null default 0,
  fence integer not null default 0,
  lost_claims integer not null default 0,
  generation integer not null default 0,
  reason text,
  error_class text,
  error_message text,
  degraded text,
  added integer not null default 0,
  updated integer not null default 0,
  deleted integer not null default 0,
  unchanged integer not null default 0,
  rejected integer not null default 0,
  memory_ids uuid[] not null default '{}',
  model text,
  prompt_tokens integer,
  completion_tokens integer,
  model_calls integer not null default 0,
  model_ms integer,
  embed_ms integer,
  apply_ms integer,
  metadata jsonb not null default '{}',
  traceparent text,
  accepted_at timestamptz not null default clock_timestamp(),
  next_attempt_at timestamptz,
  queue_checked_at timestamptz,
  started_at timestamptz,
  claimed_at timestamptz,
  claimed_by text,
  lease_until timestamptz,
  finished_at timestamptz,
  constraint extractions_conversation_fkey foreign key (tenant_id, conversation_id)
    references conversations (tenant_id, id) on delete cascade,
  constraint extractions_state_check
    check (state in ('pending', 'active', 'done', 'failed', 'dropped', 'skipped'))
);
create index extractions_list_idx on extractions (tenant_id, accepted_no desc);
create index extractions_user_idx on extractions (tenant_id, user_id, accepted_no desc);
create index extractions_conversation_idx on extractions (tenant_id, conversation_id, to_seq);
-- Drop-oldest: the jobs that wait and have never started, oldest first.
create index extractions_waiting_idx on extractions (tenant_id, accepted_no)
  where state = 'pending' and started_at is null;
-- The sweeper, the depth metric and the age of the oldest waiting job.
create index extractions_open_idx on extractions (accepted_no) where state in ('pending', 'active');

-- What the model answered, kept before it is applied. At most one answer is pinned at a time; answers that
-- could not be used stay as 'rejected' so that a failure can be explained.
create table extraction_outputs (
  extraction_id uuid not null
    constraint extraction_outputs_extraction_fkey references extractions (id) on delete cascade,
  number integer not null,
  tenant_id uuid not null,
  status text not null,
  provider text not null,
  model text not null,
  prompt_version text not null,
  raw text not null,
  finish_reason text,
  prompt_tokens integer,
  completion_tokens integer,
  created_at timestamptz not null default now(),
  constraint extraction_outputs_pkey primary key (extraction_id, number),
  constraint extraction_outputs_status_check check (status in ('pinned', 'rejected'))
);
create unique index extraction_outputs_pinned_key on extraction_outputs (extraction_id)
  where status = 'pinned';

-- is_current: not superseded, not archived, not deleted (expiry is a matter of the clock and checked by
-- queries). stated_at is when the user said it; a later statement wins whatever order extractions finish in.
create table memories (
  id uuid constraint memories_pkey primary key,
  tenant_id uuid not null constraint memories_tenant_fkey references tenants (id) on delete cascade,
  user_id text not null,
  tier smallint not null default 2,
  kind text not null,
  category text not null default 'general',
  key text,
  value text,
  content text not null,
  question text,
  answer text,
  tags text[] not null default '{}',
  project text,
  topic text,
  importance real not null default 0.5,
  confidence smallint not null default 70,
  source text not null,
  source_context text,
  scope text not null default 'global',
  conversation_id text not null default '',
  content_hash bytea not null,
  subject_hash bytea,
  stated_at timestamptz not null,
  valid_from timestamptz not null,
  valid_to timestamptz,
  expires_at timestamptz,
  last_verified_at timestamptz,
  last_accessed_at timestamptz,
  access_count integer not null default 0,
  archived_at timestamptz,
  deleted_at timestamptz,
  superseded_by uuid,
  is_current boolean not null
    generated always as (valid_to is null and archived_at is null and deleted_at is null) stored,
  -- What text search looks in, folded once. A line feed keeps a pattern from matching across two columns.
  search_text text not null generated always as (
    lower(content || e'\n' || coalesce(key, '') || e'\n' || coalesce(value, '') || e'\n' || category)) stored,
  extraction_id uuid,
  message_ids text[] not null default '{}',
  metadata jsonb not null default '{}',
  embedding_pending_since timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint memories_tier_check check (tier between 1 and 3),
  constraint memories_kind_check check (kind in ('fact', 'qa', 'note', 'event')),
  constraint memories_scope_check check (scope in ('global', 'conversation')),
  constraint memories_importance_check check (importance between 0 and 1),
  constraint memories_confidence_check check (confidence between 0 and 100)
);
-- A keyed fact has one current value, a question one current answer (subject_hash), and anything else is
-- current once per text.
create unique index memories_key_key on memories (tenant_id, user_id, scope, conversation_id, category, key)
  where key is not null and is_current;
create unique index memories_subject_key on memories (tenant_id, user_id, scope, conversation_id, subject_hash)
  where subject_hash is not null and is_current;
create unique index memories_content_key on memories (tenant_id, user_id, scope, conversation_id, content_hash)
  where key is null and subject_hash is null and is_current;
create index memories_content_idx on memories (tenant_id, user_id, content_hash);
create index memories_user_idx on memories (tenant_id, user_id, created_at desc, id desc) where is_current;
create index memories_source_category_idx on memories (tenant_id, source, category) where is_current;
create index memories_expiry_idx on memories (expires_at) where expires_at is not null;
create index memories_deleted_idx on memories (deleted_at) where deleted_at is not null;
create index memories_extraction_idx on memories (extraction_id) where extraction_id is not null;
create index memories_embedding_pending_idx on memories (embedding_pending_since)
  where embedding_pending_since is not null;

create table memory_versions (
  memory_id uuid not null,
  number integer not null,
  tenant_id uuid not null constraint memory_versions_tenant_fkey references tenants (id) on delete cascade,
  user_id text not null,
  operation text not null,
  before jsonb,
  after jsonb,
  actor text not null,
  extraction_id uuid,
  created_at timestamptz not null default now(),
  constraint memory_versions_pkey primary key (memory_id, number),
  constraint memory_versions_operation_check
    check (operation in ('ADD', 'UPDATE', 'SUPERSEDE', 'DELETE', 'MERGE', 'ARCHIVE', 'RESTORE'))
);
create index memory_versions_user_idx on memory_versions (tenant_id, user_id);

-- One row per embedding model in use. Its partial HNSW index on memory_embeddings is created with it.
create table embedding_models (
  id text constraint embedding_models_pkey primary key,
  dimensions integer not null,
  created_at timestamptz not null default now()
);

create table memory_embeddings (
  memory_id uuid not null constraint memory_embeddings_memory_fkey references memories (id) on delete cascade,
  model text not null constraint memory_embeddings_model_fkey references embedding_models (id),
  tenant_id uuid not null,
  user_id text not null,
  content_hash bytea not null,
  embedding halfvec not null,
  created_at timestamptz not null default now(),
  constraint memory_embeddings_pkey primary key (memory_id, model)
);
create index memory_embeddings_user_idx on memory_embeddings (tenant_id, user_id, model);

-- Registers a model and builds its index in one step; concurrent callers wait for each other.
create function create_embedding_model(model text, model_dimensions integer) returns void
language plpgsql as $$
begin
  perform pg_advisory_xact_lock(hashtext('factmill.embedding_models'));
  insert into embedding_models (id, dimensions) values (model, model_dimensions) on conflict do nothing;
  if found then
    execute format(
      'create index %I on memory_embeddings using hnsw ((embedding::halfvec(%s)) halfvec_cosine_ops) where model = %L',
      'memory_embeddings_hnsw_' || left(md5(model), 12), model_dimensions, model);
  end if;
end $$;

-- Answers to requests that carried an Idempotency-Key: ids and states only, no content.
create table idempotency_keys (
  tenant_id uuid not null constraint idempotency_keys_tenant_fkey references tenants (id) on delete cascade,
  key text not null,
  request_sha256 text not null,
  response jsonb,
  created_at timestamptz not null default now(),
  constraint idempotency_keys_pkey primary key (tenant_id, key)
);
create index idempotency_keys_created_idx on idempotency_keys (created_at);
