-- The whole schema as a new database begins with it. Databases from before it are brought to the same by takeover/.
-- Every key of tenant data has the tenant in it: moving a tenant, partitions and logical replication need it. It comes
-- last in keys that begin with an id, so that what knows only the id finds its row.
-- The order of indexes matters, and primary keys come after them: on a young database without statistics any index that
-- begins with the tenant looks as good as the key, and of equals the planner takes the last one. Else a foreign key reads
-- all that the tenant has.

-- What is stored is computed with these four functions, so they are part of the tables: to change one is to compute
-- columns and indexes again. All others are in functions/.

-- Sets Chinese, Japanese and Korean characters apart, so that each is a word of its own: full text knows words only by
-- the spaces and signs around them. A pair of characters is then a phrase.
create function search_spaced(given text) returns text language sql immutable parallel safe
return case when given ~ '[\u3005\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff]'
  then regexp_replace(given, '([\u3005\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff])', ' \1 ', 'g')
  else given end;

-- The words of a text, in the form in which English words are compared (`painted` as `paint`); words of other languages
-- are cut a little by the same rules, in texts and queries alike.
create function search_words(given text) returns tsvector language sql immutable parallel safe
return to_tsvector('pg_catalog.english'::regconfig, search_spaced(given));

-- The key of a word of a user's memories in memories_words_idx; with a null owner, the one among all users of the
-- tenant. 64 bits: that two words meet is next to impossible, and candidates are compared again.
create function search_key(tenant uuid, owner text, word text) returns bigint
language sql immutable parallel safe
return hashtextextended(word, hashtextextended(coalesce(owner, ''),
  hashtextextended(tenant::text, (owner is null)::integer)));

-- The keys of all words of a memory, of its user and of its tenant.
create function search_keys(tenant uuid, owner text, terms tsvector) returns bigint[]
language sql immutable parallel safe
return (
  select array_agg(search_key(tenant, whose.owner, word))
  from unnest(tsvector_to_array(terms)) as word cross join (values (owner), (null)) as whose (owner));

create table tenants (
  id uuid constraint tenants_pkey primary key,
  name text not null constraint tenants_name_key unique,
  created_at timestamptz not null default now()
);
-- The tenant of requests without an API key (AUTH=none) and of keys created without --tenant.
insert into tenants (id, name) values ('00000000-0000-7000-8000-000000000001', 'default');

-- The user of a locked key is the only one that it reaches.
create table api_keys (
  id text not null,
  tenant_id uuid not null constraint api_keys_tenant_fkey references tenants (id) on delete cascade,
  secret_sha256 bytea not null,
  name text not null,
  permissions text[] not null,
  user_id text,
  created_at timestamptz not null default now(),
  expires_at timestamptz,
  revoked_at timestamptz,
  user_locked boolean not null default false,
  constraint api_keys_pkey primary key (id, tenant_id),
  -- A key is looked up before its tenant is known.
  constraint api_keys_id_key unique (id),
  constraint api_keys_tenant_name_key unique (tenant_id, name),
  constraint api_keys_lock_check check (not user_locked or (
    user_id is not null and not permissions && array['memory.read_all', 'admin', 'operator']))
);

-- Values an operator changes at run time; they win over the environment. Keys are checked by the code.
create table settings (
  key text constraint settings_pkey primary key,
  value jsonb not null,
  updated_at timestamptz not null default now()
);

-- last_seq: newest message. scheduled_seq: newest message that some extraction covers. extracted_seq: newest
-- message up to which everything is done. Ranges of one conversation never overlap.
-- extraction_due_at: when what waits is to be scheduled, 'infinity' when no known rule will make it due; null when
-- nothing waits, or only messages that were stored aside. extraction_due_for: the rule that set the time.
-- extraction_traceparent: the trace of the request that brought what waits. replaced_from_seq: the oldest scheduled
-- reply that a regenerated one has replaced since the last scheduling.
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
  extraction_due_at timestamptz,
  extraction_due_for text,
  extraction_traceparent text,
  replaced_from_seq integer,
  constraint conversations_pkey primary key (tenant_id, id)
);
create index conversations_due_idx on conversations (extraction_due_at) where extraction_due_at is not null;
create index conversations_waiting_idx on conversations (tenant_id, user_id, last_active_at)
  where extraction_due_at is not null;
-- The user first: on a table without statistics an index that begins with the tenant looks to the planner as good as
-- the primary key for looking up one conversation, which every new message and extraction does for its foreign key.
create index conversations_user_idx on conversations (user_id, tenant_id, last_active_at desc);

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
-- worker never came back. started_at is the first claim: from then on the row is never dropped. generation grows with
-- each replay and is part of the queue's job id.
-- replaces_from_seq: set when the range begins with a reply in place of replies that an earlier extraction covered,
-- the oldest of them. rejections: why candidates were not stored, reason → count; null for none.
create table extractions (
  id uuid not null,
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
  replaces_from_seq integer,
  rejections jsonb,
  constraint extractions_conversation_fkey foreign key (tenant_id, conversation_id)
    references conversations (tenant_id, id) on delete cascade,
  constraint extractions_state_check
    check (state in ('pending', 'active', 'done', 'failed', 'dropped', 'skipped'))
);
create index extractions_list_idx on extractions (tenant_id, accepted_no desc);
create index extractions_user_idx on extractions (tenant_id, user_id, accepted_no desc);
create index extractions_conversation_idx on extractions (tenant_id, conversation_id, to_seq);
-- Drop-oldest: the extractions that wait and have never started, oldest first.
create index extractions_waiting_idx on extractions (tenant_id, accepted_no)
  where state = 'pending' and started_at is null;
-- The sweeper, the depth metric and the age of the oldest waiting job.
create index extractions_open_idx on extractions (accepted_no) where state in ('pending', 'active');
create index extractions_conversation_open_idx on extractions (tenant_id, conversation_id, accepted_no)
  where state in ('pending', 'active');
-- Keeps two extractions of a conversation from being in work at once; the rest of the rule is in claim_extraction.
create unique index extractions_active_key on extractions (tenant_id, conversation_id) where state = 'active';
alter table extractions add constraint extractions_pkey primary key (id, tenant_id);

-- What the model answered, kept before it is applied. At most one answer is pinned at a time; answers that
-- could not be used stay as 'rejected' so that a failure can be explained.
-- purpose: one extraction may ask a model for several things, and each answer is pinned on its own: the memories
-- (extract), the rest of a reply that was cut off (continue), how new memories go with their neighbours (reconcile).
-- shown: what the short ids in the answer stand for (ids and hashes, no text).
create table extraction_outputs (
  extraction_id uuid not null,
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
  purpose text not null default 'extract',
  shown jsonb,
  constraint extraction_outputs_extraction_fkey foreign key (tenant_id, extraction_id)
    references extractions (tenant_id, id) on delete cascade,
  constraint extraction_outputs_status_check check (status in ('pinned', 'rejected')),
  constraint extraction_outputs_purpose_check check (purpose in ('extract', 'continue', 'reconcile'))
);
create unique index extraction_outputs_pinned_key on extraction_outputs (extraction_id, purpose, tenant_id)
  where status = 'pinned';
alter table extraction_outputs add constraint extraction_outputs_pkey primary key (extraction_id, number, tenant_id);

-- is_current: not superseded, not archived, not deleted (expiry is a matter of the clock and checked by
-- queries). stated_at is when the user said it; a later statement wins whatever order extractions finish in.
-- compressed_at: when an event was taken up by a compression; null for what still waits. written: in which transaction
-- it was last written (trigger memories_written), so that a process that holds a user's memories asks only for the
-- later ones. A number of a transaction, because it says what a snapshot has not seen; a time does not.
create table memories (
  id uuid not null,
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
  compressed_at timestamptz,
  -- The words that full-text search finds it by.
  search_terms tsvector not null generated always as (search_words(
    content || e'\n' || coalesce(key, '') || e'\n' || coalesce(value, '') || e'\n' || category)) stored,
  written xid8 not null default pg_current_xact_id(),
  constraint memories_tier_check check (tier between 1 and 3),
  constraint memories_kind_check check (kind in ('fact', 'qa', 'note', 'event')),
  constraint memories_scope_check check (scope in ('global', 'conversation')),
  constraint memories_importance_check check (importance between 0 and 1),
  constraint memories_confidence_check check (confidence between 0 and 100)
);
create unique index memories_key_key on memories (tenant_id, user_id, scope, conversation_id, category, key)
  where key is not null and is_current;
create unique index memories_subject_key on memories (tenant_id, user_id, scope, conversation_id, subject_hash)
  where subject_hash is not null and is_current;
-- A keyed fact has one current value, a question one current answer (memories_subject_key), and anything else is
-- current once per text.
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
-- What a user stated last, read with every claim.
create index memories_stated_idx on memories (tenant_id, user_id, stated_at desc, id desc) where is_current;
create index memories_uncompressed_idx on memories (tenant_id, user_id, stated_at)
  where tier = 3 and is_current and compressed_at is null;
-- The projects that a user's memories belong to.
create index memories_project_idx on memories (tenant_id, user_id, project) where is_current and project is not null;
-- The list of what it has not taken in yet is read whole by every search: a short one.
create index memories_words_idx on memories using gin (search_keys(tenant_id, user_id, search_terms))
  with (gin_pending_list_limit = 128) where is_current;
create index memories_written_idx on memories (tenant_id, user_id, written) where is_current;
alter table memories add constraint memories_pkey primary key (id, tenant_id);
-- Room beside each memory, so that counting accesses does not touch its indexes.
alter table memories set (fillfactor = 85);

-- Every change of a memory. cause: newer_value, near_duplicate, reconciled, contradicted, expired; null where the
-- operation says it all.
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
  cause text,
  constraint memory_versions_operation_check
    check (operation in ('ADD', 'UPDATE', 'SUPERSEDE', 'DELETE', 'MERGE', 'ARCHIVE', 'RESTORE'))
);
create index memory_versions_user_idx on memory_versions (tenant_id, user_id);
alter table memory_versions add constraint memory_versions_pkey primary key (memory_id, number, tenant_id);

-- One row per embedding model. state: active (searches ask it and new memories get its vectors; at most one), building
-- (its vectors are being made), retired (was active, or given up; its vectors stay until they are dropped). provider,
-- endpoint_model and endpoint_dimensions: how it is called; endpoint_sha256: of its address, so that no other endpoint
-- is taken for it.
create table embedding_models (
  id text constraint embedding_models_pkey primary key,
  dimensions integer not null,
  created_at timestamptz not null default now(),
  state text not null default 'building',
  provider text,
  endpoint_model text,
  endpoint_dimensions integer,
  endpoint_sha256 bytea,
  activated_at timestamptz,
  constraint embedding_models_state_check check (state in ('active', 'building', 'retired'))
);
create unique index embedding_models_active_key on embedding_models (state) where state = 'active';

-- code: the vector as one bit per component, for comparing thousands of vectors in the index without reading the table.
-- written: as in memories.
create table memory_embeddings (
  memory_id uuid not null,
  model text not null constraint memory_embeddings_model_fkey references embedding_models (id),
  tenant_id uuid not null,
  user_id text not null,
  content_hash bytea not null,
  embedding halfvec not null,
  created_at timestamptz not null default now(),
  code bit varying not null generated always as (binary_quantize(embedding)) stored,
  written xid8 not null default pg_current_xact_id(),
  constraint memory_embeddings_memory_fkey foreign key (tenant_id, memory_id)
    references memories (tenant_id, id) on delete cascade
);
create index memory_embeddings_near_idx on memory_embeddings (tenant_id, user_id, model, written)
  include (memory_id, code);
alter table memory_embeddings add constraint memory_embeddings_pkey primary key (memory_id, model, tenant_id);
-- What no vacuum has seen yet has to be looked up in the table all the same.
alter table memory_embeddings set (autovacuum_vacuum_insert_scale_factor = 0.02);

-- How far the building of a model's vectors has come; gone when the model is active. One worker at a time holds the
-- lease. A pass goes through all memories in id order, then through all chunks; found: vectors that were missing in
-- this pass. done and total are for people.
create table embedding_builds (
  model text constraint embedding_builds_pkey primary key
    constraint embedding_builds_model_fkey references embedding_models (id) on delete cascade,
  worker uuid,
  leased_until timestamptz,
  stage text not null default 'memories',
  position uuid not null default '00000000-0000-0000-0000-000000000000',
  pass integer not null default 1,
  pass_started_at timestamptz not null default now(),
  found integer not null default 0,
  done bigint not null default 0,
  total bigint not null default 0,
  started_at timestamptz not null default now(),
  constraint embedding_builds_stage_check check (stage in ('memories', 'chunks'))
);

-- A document belongs to a conversation, to a project, or (neither) to all conversations of its user. matching_text is
-- its text in the form in which texts are searched for one another. chunking says how it was cut.
create table documents (
  tenant_id uuid not null constraint documents_tenant_fkey references tenants (id) on delete cascade,
  id text not null,
  user_id text not null,
  title text,
  content text not null,
  matching_text text not null,
  content_hash bytea not null,
  characters integer not null,
  chunk_count integer not null,
  chunking text not null,
  conversation_id text,
  project text,
  metadata jsonb not null default '{}',
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint documents_conversation_fkey foreign key (tenant_id, conversation_id)
    references conversations (tenant_id, id) on delete cascade,
  constraint documents_attachment_check check (conversation_id is null or project is null)
);
create index documents_user_idx on documents (tenant_id, user_id, created_at desc, id desc);
create index documents_conversation_idx on documents (tenant_id, conversation_id) where conversation_id is not null;
alter table documents add constraint documents_pkey primary key (tenant_id, id);

-- What an embedding model takes at once. Put together in order, the chunks are the document. matching_text is there
-- for chunks that are short enough to be part of a memory. embedding_leased_until keeps two workers from computing
-- the same vectors.
create table document_chunks (
  id uuid not null,
  tenant_id uuid not null,
  user_id text not null,
  document_id text not null,
  position integer not null,
  content text not null,
  matching_text text,
  content_hash bytea not null,
  embedding_pending_since timestamptz,
  embedding_leased_until timestamptz,
  constraint document_chunks_position_key unique (tenant_id, document_id, position),
  constraint document_chunks_document_fkey foreign key (tenant_id, document_id)
    references documents (tenant_id, id) on delete cascade
);
create index document_chunks_short_idx on document_chunks (tenant_id, user_id) where matching_text is not null;
create index document_chunks_embedding_pending_idx on document_chunks (embedding_pending_since, id)
  where embedding_pending_since is not null;
alter table document_chunks add constraint document_chunks_pkey primary key (id, tenant_id);

-- Always compared one by one inside a user, whose chunks are limited: no HNSW index.
create table document_chunk_embeddings (
  chunk_id uuid not null,
  model text not null constraint document_chunk_embeddings_model_fkey references embedding_models (id),
  tenant_id uuid not null,
  user_id text not null,
  embedding halfvec not null,
  created_at timestamptz not null default now(),
  constraint document_chunk_embeddings_chunk_fkey foreign key (tenant_id, chunk_id)
    references document_chunks (tenant_id, id) on delete cascade
);
create index document_chunk_embeddings_user_idx on document_chunk_embeddings (tenant_id, user_id, model);
alter table document_chunk_embeddings
  add constraint document_chunk_embeddings_pkey primary key (chunk_id, model, tenant_id);

-- Texts that a model does not take, so that they are not offered to it again: of a memory until its text changes.
create table embedding_refusals (
  model text not null constraint embedding_refusals_model_fkey references embedding_models (id) on delete cascade,
  memory_id uuid,
  chunk_id uuid,
  content_hash bytea,
  tenant_id uuid not null,
  constraint embedding_refusals_chunk_fkey foreign key (tenant_id, chunk_id)
    references document_chunks (tenant_id, id) on delete cascade,
  constraint embedding_refusals_memory_fkey foreign key (tenant_id, memory_id)
    references memories (tenant_id, id) on delete cascade,
  constraint embedding_refusals_subject_check check (num_nonnulls(memory_id, chunk_id) = 1)
);
create unique index embedding_refusals_memory_key on embedding_refusals (memory_id, model, tenant_id)
  where memory_id is not null;
create unique index embedding_refusals_chunk_key on embedding_refusals (chunk_id, model, tenant_id)
  where chunk_id is not null;
-- It has no primary key, as each row is of a memory or of a chunk; replication needs to know its rows all the same.
alter table embedding_refusals replica identity full;

-- conversation_id is '' for the user's narrative. refreshed_by: what the text is made by from now on, said by the last
-- extraction that asked for one; null when nothing has, so that a text written by hand stays. stale_since: something
-- has changed that the text does not know. refresh_at: when it is due, which for a fresh text is when the first memory
-- in it expires. change_no counts changes: a refresh that read an older one leaves the row stale. fence counts claims
-- and replacements by hand: only the latest may write. failures drives the delay, attempts counts tries that the
-- provider's absence cannot explain. covers_seq: the last message that is in a conversation's summary.
create table summaries (
  id uuid not null default gen_random_uuid(),
  tenant_id uuid not null constraint summaries_tenant_fkey references tenants (id) on delete cascade,
  user_id text not null,
  conversation_id text not null default '',
  of_conversation text generated always as (nullif(conversation_id, '')) stored,
  content text,
  source text,
  prompt_version text,
  model text,
  covers_seq integer not null default 0,
  memory_count integer,
  version integer not null default 0,
  updated_at timestamptz,
  refreshed_by text,
  stale_since timestamptz,
  refresh_at timestamptz,
  change_no bigint not null default 0,
  fence integer not null default 0,
  lease_until timestamptz,
  attempts integer not null default 0,
  failures integer not null default 0,
  error_class text,
  constraint summaries_owner_key unique (tenant_id, user_id, conversation_id),
  -- A summary goes with its conversation, whoever deletes it and whoever is writing it at that moment.
  constraint summaries_conversation_fkey foreign key (tenant_id, of_conversation)
    references conversations (tenant_id, id) on delete cascade,
  constraint summaries_source_check check (source in ('model', 'composed', 'manual')),
  constraint summaries_refreshed_by_check check (refreshed_by in ('model', 'composed'))
);
create index summaries_conversation_idx on summaries (tenant_id, of_conversation) where of_conversation is not null;
create index summaries_refresh_idx on summaries (refresh_at) where refresh_at is not null;
alter table summaries add constraint summaries_pkey primary key (id, tenant_id);

-- The last texts of a summary (at most 20), so that what a reader was shown can be explained.
create table summary_versions (
  summary_id uuid not null,
  number integer not null,
  tenant_id uuid not null,
  content text not null,
  source text not null,
  prompt_version text,
  model text,
  actor text not null,
  covers_seq integer not null,
  memory_count integer,
  created_at timestamptz not null default now(),
  constraint summary_versions_summary_fkey foreign key (tenant_id, summary_id)
    references summaries (tenant_id, id) on delete cascade
);
create index summary_versions_created_idx on summary_versions (created_at);
alter table summary_versions add constraint summary_versions_pkey primary key (summary_id, number, tenant_id);

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
  id uuid not null,
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
alter table compression_runs add constraint compression_runs_pkey primary key (id, tenant_id);

-- What the model answered to each step of a plan, kept before anything is done with it. At most one is pinned; those
-- that could not be used stay as 'rejected'.
create table compression_answers (
  run_id uuid not null,
  step text not null,
  number integer not null,
  status text not null,
  model text not null,
  prompt_version text not null,
  raw text not null,
  finish_reason text,
  created_at timestamptz not null default now(),
  tenant_id uuid not null,
  constraint compression_answers_run_fkey foreign key (tenant_id, run_id)
    references compression_runs (tenant_id, id) on delete cascade,
  constraint compression_answers_status_check check (status in ('pinned', 'rejected'))
);
create unique index compression_answers_pinned_key on compression_answers (run_id, step, tenant_id)
  where status = 'pinned';
alter table compression_answers add constraint compression_answers_pkey primary key (run_id, step, number, tenant_id);

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

-- One row per provider that has ever been down. opened_at is null while it works; failures counts the failed tries in
-- a row. While it is down there is one try (probe) at a time of next_probe_at, whoever makes it; probed_by is the
-- extraction of the last one.
create table provider_breakers (
  provider text constraint provider_breakers_pkey primary key,
  opened_at timestamptz,
  failures integer not null default 0,
  reason text,
  next_probe_at timestamptz not null,
  probed_by uuid
);
