-- extensions
pg_trgm
vector

-- sequences
events_number_seq
extractions_accepted_no_seq

-- columns
api_keys.id text not null
api_keys.tenant_id uuid not null
api_keys.secret_sha256 bytea not null
api_keys.name text not null
api_keys.permissions text[] not null
api_keys.user_id text
api_keys.created_at timestamp with time zone not null default now()
api_keys.expires_at timestamp with time zone
api_keys.revoked_at timestamp with time zone
api_keys.user_locked boolean not null default false
api_keys.preset text
api_keys.previous_sha256 bytea
api_keys.previous_until timestamp with time zone
api_keys.rotated_at timestamp with time zone
api_keys.last_used_at timestamp with time zone
audit_chains.tenant_id uuid not null
audit_chains.secret bytea not null
audit_chains.last_number bigint not null default 0
audit_chains.last_hash bytea not null default decode(repeat('00'::text, 32), 'hex'::text)
audit_chains.cut_number bigint not null default 0
audit_chains.cut_hash bytea not null default decode(repeat('00'::text, 32), 'hex'::text)
audit_records.tenant_id uuid not null
audit_records.number bigint not null
audit_records.at timestamp with time zone not null
audit_records.actor text not null
audit_records.action text not null
audit_records.target_kind text
audit_records.target_id text
audit_records.user_pseudonym text
audit_records.outcome text not null
audit_records.request_id text
audit_records.reason text
audit_records.fields text[] not null
audit_records.counts jsonb not null
audit_records.prev_hash bytea not null
audit_records.hash bytea not null
budgets.tenant_id uuid not null
budgets.period text not null
budgets.unit text not null
budgets.amount numeric not null
compression_answers.run_id uuid not null
compression_answers.step text not null
compression_answers.number integer not null
compression_answers.status text not null
compression_answers.model text not null
compression_answers.prompt_version text not null
compression_answers.raw text not null
compression_answers.finish_reason text
compression_answers.created_at timestamp with time zone not null default now()
compression_answers.tenant_id uuid not null
compression_periods.kind text not null
compression_periods.period date not null
compression_periods.due_at timestamp with time zone not null
compression_periods.until_at timestamp with time zone not null
compression_periods.after_tenant uuid
compression_periods.after_user text
compression_periods.runs integer not null default 0
compression_periods.started_at timestamp with time zone not null default now()
compression_periods.finished_at timestamp with time zone
compression_runs.id uuid not null
compression_runs.tenant_id uuid not null
compression_runs.user_id text not null
compression_runs.kind text not null
compression_runs.period date not null
compression_runs.until_at timestamp with time zone not null
compression_runs.dry_run boolean not null default false
compression_runs.state text not null default 'pending'::text
compression_runs.attempts integer not null default 0
compression_runs.fence integer not null default 0
compression_runs.lost_claims integer not null default 0
compression_runs.generation integer not null default 0
compression_runs.plan jsonb
compression_runs.decisions jsonb
compression_runs.counts jsonb not null default '{}'::jsonb
compression_runs.error_class text
compression_runs.error_message text
compression_runs.model_calls integer not null default 0
compression_runs.prompt_tokens integer not null default 0
compression_runs.completion_tokens integer not null default 0
compression_runs.model_ms integer not null default 0
compression_runs.created_at timestamp with time zone not null default now()
compression_runs.next_attempt_at timestamp with time zone
compression_runs.queue_checked_at timestamp with time zone
compression_runs.started_at timestamp with time zone
compression_runs.claimed_by text
compression_runs.lease_until timestamp with time zone
compression_runs.finished_at timestamp with time zone
console_sessions.token_sha256 bytea not null
console_sessions.tenant_id uuid not null
console_sessions.key_id text
console_sessions.key_proof bytea not null
console_sessions.created_at timestamp with time zone not null default now()
console_sessions.seen_at timestamp with time zone not null
console_sessions.expires_at timestamp with time zone not null
conversations.tenant_id uuid not null
conversations.id text not null
conversations.user_id text not null
conversations.project text
conversations.title text
conversations.policy jsonb not null default '{}'::jsonb
conversations.metadata jsonb not null default '{}'::jsonb
conversations.last_seq integer not null default 0
conversations.scheduled_seq integer not null default 0
conversations.extracted_seq integer not null default 0
conversations.created_at timestamp with time zone not null default now()
conversations.last_active_at timestamp with time zone not null default now()
conversations.extracted_at timestamp with time zone
conversations.extraction_due_at timestamp with time zone
conversations.extraction_due_for text
conversations.extraction_traceparent text
conversations.replaced_from_seq integer
conversations.indexed_seq integer not null default 0
conversations.evicted_seq integer not null default 0
conversations.removed_seq integer not null default 0
document_chunk_embeddings.chunk_id uuid not null
document_chunk_embeddings.model text not null
document_chunk_embeddings.tenant_id uuid not null
document_chunk_embeddings.user_id text not null
document_chunk_embeddings.embedding halfvec not null
document_chunk_embeddings.created_at timestamp with time zone not null default now()
document_chunks.id uuid not null
document_chunks.tenant_id uuid not null
document_chunks.user_id text not null
document_chunks.document_id text not null
document_chunks.position integer not null
document_chunks.content text not null
document_chunks.matching_text text
document_chunks.content_hash bytea not null
document_chunks.embedding_pending_since timestamp with time zone
document_chunks.embedding_leased_until timestamp with time zone
documents.tenant_id uuid not null
documents.id text not null
documents.user_id text not null
documents.title text
documents.content text not null
documents.matching_text text not null
documents.content_hash bytea not null
documents.characters integer not null
documents.chunk_count integer not null
documents.chunking text not null
documents.conversation_id text
documents.project text
documents.metadata jsonb not null default '{}'::jsonb
documents.created_at timestamp with time zone not null default now()
documents.updated_at timestamp with time zone not null default now()
embedding_builds.model text not null
embedding_builds.worker uuid
embedding_builds.leased_until timestamp with time zone
embedding_builds.stage text not null default 'memories'::text
embedding_builds.position uuid not null default '00000000-0000-0000-0000-000000000000'::uuid
embedding_builds.pass integer not null default 1
embedding_builds.pass_started_at timestamp with time zone not null default now()
embedding_builds.found integer not null default 0
embedding_builds.done bigint not null default 0
embedding_builds.total bigint not null default 0
embedding_builds.started_at timestamp with time zone not null default now()
embedding_models.id text not null
embedding_models.dimensions integer not null
embedding_models.created_at timestamp with time zone not null default now()
embedding_models.state text not null default 'building'::text
embedding_models.provider text
embedding_models.endpoint_model text
embedding_models.endpoint_dimensions integer
embedding_models.endpoint_sha256 bytea
embedding_models.activated_at timestamp with time zone
embedding_refusals.model text not null
embedding_refusals.memory_id uuid
embedding_refusals.chunk_id uuid
embedding_refusals.content_hash bytea
embedding_refusals.tenant_id uuid not null
erasures.id uuid not null
erasures.tenant_id uuid not null
erasures.user_id text
erasures.user_sha256 bytea not null
erasures.requested_by text not null
erasures.requested_at timestamp with time zone not null default now()
erasures.finished_at timestamp with time zone
erasures.counts jsonb not null default '{}'::jsonb
erasures.finished_xid xid8
event_clock.id boolean not null default true
event_clock.cluster bigint
event_clock.history bigint not null default 0
events.tenant_id uuid not null
events.watermark bigint not null
events.number bigint not null generated always as identity
events.type text not null
events.user_id text
events.data jsonb not null
events.created_at timestamp with time zone not null default now()
extraction_outputs.extraction_id uuid not null
extraction_outputs.number integer not null
extraction_outputs.tenant_id uuid not null
extraction_outputs.status text not null
extraction_outputs.provider text not null
extraction_outputs.model text not null
extraction_outputs.prompt_version text not null
extraction_outputs.raw text not null
extraction_outputs.finish_reason text
extraction_outputs.prompt_tokens integer
extraction_outputs.completion_tokens integer
extraction_outputs.created_at timestamp with time zone not null default now()
extraction_outputs.purpose text not null default 'extract'::text
extraction_outputs.shown jsonb
extractions.id uuid not null
extractions.accepted_no bigint not null generated always as identity
extractions.tenant_id uuid not null
extractions.user_id text not null
extractions.conversation_id text not null
extractions.from_seq integer not null
extractions.to_seq integer not null
extractions.trigger text not null
extractions.preset text not null
extractions.state text not null default 'pending'::text
extractions.attempts integer not null default 0
extractions.fence integer not null default 0
extractions.lost_claims integer not null default 0
extractions.generation integer not null default 0
extractions.reason text
extractions.error_class text
extractions.error_message text
extractions.degraded text
extractions.added integer not null default 0
extractions.updated integer not null default 0
extractions.deleted integer not null default 0
extractions.unchanged integer not null default 0
extractions.rejected integer not null default 0
extractions.memory_ids uuid[] not null default '{}'::uuid[]
extractions.model text
extractions.prompt_tokens integer
extractions.completion_tokens integer
extractions.model_calls integer not null default 0
extractions.model_ms integer
extractions.embed_ms integer
extractions.apply_ms integer
extractions.metadata jsonb not null default '{}'::jsonb
extractions.traceparent text
extractions.accepted_at timestamp with time zone not null default clock_timestamp()
extractions.next_attempt_at timestamp with time zone
extractions.queue_checked_at timestamp with time zone
extractions.started_at timestamp with time zone
extractions.claimed_at timestamp with time zone
extractions.claimed_by text
extractions.lease_until timestamp with time zone
extractions.finished_at timestamp with time zone
extractions.replaces_from_seq integer
extractions.rejections jsonb
extractions.deferred_until timestamp with time zone
factmill_functions.name text not null
factmill_functions.checksum text not null
factmill_functions.revision integer not null
factmill_functions.applied_at timestamp with time zone not null default now()
factmill_migrations.number integer not null
factmill_migrations.name text not null
factmill_migrations.checksum text not null
factmill_migrations.applied_at timestamp with time zone not null default now()
idempotency_keys.tenant_id uuid not null
idempotency_keys.key text not null
idempotency_keys.request_sha256 text not null
idempotency_keys.response jsonb
idempotency_keys.created_at timestamp with time zone not null default now()
imported_items.tenant_id uuid not null
imported_items.user_id text not null
imported_items.source text not null
imported_items.item_sha256 bytea not null
imported_items.memory_id uuid
imported_items.imported_at timestamp with time zone not null default now()
legal_holds.id uuid not null
legal_holds.tenant_id uuid not null
legal_holds.user_id text not null default ''::text
legal_holds.placed_by text not null
legal_holds.placed_at timestamp with time zone not null default now()
memories.id uuid not null
memories.tenant_id uuid not null
memories.user_id text not null
memories.tier smallint not null default 2
memories.kind text not null
memories.category text not null default 'general'::text
memories.key text
memories.value text
memories.content text not null
memories.question text
memories.answer text
memories.tags text[] not null default '{}'::text[]
memories.project text
memories.topic text
memories.importance real not null default 0.5
memories.confidence smallint not null default 70
memories.source text not null
memories.source_context text
memories.scope text not null default 'global'::text
memories.conversation_id text not null default ''::text
memories.content_hash bytea not null
memories.subject_hash bytea
memories.stated_at timestamp with time zone not null
memories.valid_from timestamp with time zone not null
memories.valid_to timestamp with time zone
memories.expires_at timestamp with time zone
memories.last_verified_at timestamp with time zone
memories.last_accessed_at timestamp with time zone
memories.access_count integer not null default 0
memories.archived_at timestamp with time zone
memories.deleted_at timestamp with time zone
memories.superseded_by uuid
memories.is_current boolean not null generated always as (((valid_to IS NULL) AND (archived_at IS NULL) AND (deleted_at IS NULL))) stored
memories.search_text text not null generated always as (lower(((((((content || '
'::text) || COALESCE(key, ''::text)) || '
'::text) || COALESCE(value, ''::text)) || '
'::text) || category))) stored
memories.extraction_id uuid
memories.message_ids text[] not null default '{}'::text[]
memories.metadata jsonb not null default '{}'::jsonb
memories.embedding_pending_since timestamp with time zone
memories.created_at timestamp with time zone not null default now()
memories.updated_at timestamp with time zone not null default now()
memories.compressed_at timestamp with time zone
memories.search_terms tsvector not null generated always as (search_words(((((((content || '
'::text) || COALESCE(key, ''::text)) || '
'::text) || COALESCE(value, ''::text)) || '
'::text) || category))) stored
memories.written xid8 not null default pg_current_xact_id()
memories.channel text
memories.sender text
memories.event_date date
memories.source_tokens integer
memory_embeddings.memory_id uuid not null
memory_embeddings.model text not null
memory_embeddings.tenant_id uuid not null
memory_embeddings.user_id text not null
memory_embeddings.content_hash bytea not null
memory_embeddings.embedding halfvec not null
memory_embeddings.created_at timestamp with time zone not null default now()
memory_embeddings.code bit varying not null generated always as (binary_quantize(embedding)) stored
memory_embeddings.written xid8 not null default pg_current_xact_id()
memory_versions.memory_id uuid not null
memory_versions.number integer not null
memory_versions.tenant_id uuid not null
memory_versions.user_id text not null
memory_versions.operation text not null
memory_versions.before jsonb
memory_versions.after jsonb
memory_versions.actor text not null
memory_versions.extraction_id uuid
memory_versions.created_at timestamp with time zone not null default now()
memory_versions.cause text
memory_versions.written xid8 default pg_current_xact_id()
messages.tenant_id uuid not null
messages.conversation_id text not null
messages.seq integer not null
messages.id text not null
messages.role text not null
messages.content text
messages.name text
messages.tool_calls jsonb
messages.tool_call_id text
messages.token_estimate integer not null
messages.superseded boolean not null default false
messages.created_at timestamp with time zone not null
messages.received_at timestamp with time zone not null default now()
messages.channel text
messages.sender text
messages.removed_at timestamp with time zone
provider_breakers.provider text not null
provider_breakers.opened_at timestamp with time zone
provider_breakers.failures integer not null default 0
provider_breakers.reason text
provider_breakers.next_probe_at timestamp with time zone not null
provider_breakers.probed_by uuid
replay_answers.run_id uuid not null
replay_answers.number integer not null
replay_answers.tenant_id uuid not null
replay_answers.status text not null
replay_answers.purpose text not null
replay_answers.provider text not null
replay_answers.model text not null
replay_answers.prompt_version text not null
replay_answers.raw text not null
replay_answers.finish_reason text
replay_answers.prompt_tokens integer
replay_answers.completion_tokens integer
replay_answers.shown jsonb
replay_answers.created_at timestamp with time zone not null default now()
replay_memories.id uuid not null
replay_memories.tenant_id uuid not null
replay_memories.replay_id uuid not null
replay_memories.run_id uuid
replay_memories.user_id text not null
replay_memories.base_id uuid
replay_memories.memory jsonb not null
replay_memories.is_current boolean not null generated always as (((memory ->> 'valid_to'::text) IS NULL)) stored
replay_memories.embedding_model text
replay_memories.embedding halfvec
replay_runs.id uuid not null
replay_runs.tenant_id uuid not null
replay_runs.replay_id uuid not null
replay_runs.user_id text not null
replay_runs.kind text not null
replay_runs.position bigint not null
replay_runs.extraction_id uuid
replay_runs.state text not null default 'pending'::text
replay_runs.attempts integer not null default 0
replay_runs.fence integer not null default 0
replay_runs.lost_claims integer not null default 0
replay_runs.counts jsonb not null default '{}'::jsonb
replay_runs.changed jsonb
replay_runs.deferred_until timestamp with time zone
replay_runs.reason text
replay_runs.error_class text
replay_runs.error_message text
replay_runs.model_calls integer not null default 0
replay_runs.prompt_tokens integer not null default 0
replay_runs.completion_tokens integer not null default 0
replay_runs.created_at timestamp with time zone not null default now()
replay_runs.next_attempt_at timestamp with time zone
replay_runs.queue_checked_at timestamp with time zone
replay_runs.started_at timestamp with time zone
replay_runs.claimed_by text
replay_runs.lease_until timestamp with time zone
replay_runs.finished_at timestamp with time zone
replays.id uuid not null
replays.tenant_id uuid not null
replays.user_id text
replays.since timestamp with time zone
replays.until timestamp with time zone
replays.preset text
replays.model text
replays.prompt text
replays.phase text not null default 'extract'::text
replays.estimate jsonb not null
replays.created_at timestamp with time zone not null default now()
retention_policies.tenant_id uuid not null
retention_policies.messages_days integer
retention_policies.outputs_days integer
retention_policies.versions_days integer
retention_policies.audit_days integer
retention_policies.due_at timestamp with time zone not null default now()
retention_policies.updated_at timestamp with time zone not null default now()
retention_policies.events_days integer
retention_runs.id uuid not null
retention_runs.tenant_id uuid not null
retention_runs.requested_by text not null
retention_runs.requested_at timestamp with time zone not null default now()
retention_runs.finished_at timestamp with time zone
retention_runs.counts jsonb not null default '{}'::jsonb
settings.key text not null
settings.value jsonb not null
settings.updated_at timestamp with time zone not null default now()
spending.tenant_id uuid not null
spending.day date not null
spending.tokens bigint not null
spending.cost numeric not null
summaries.id uuid not null default gen_random_uuid()
summaries.tenant_id uuid not null
summaries.user_id text not null
summaries.conversation_id text not null default ''::text
summaries.of_conversation text generated always as (NULLIF(conversation_id, ''::text)) stored
summaries.content text
summaries.source text
summaries.prompt_version text
summaries.model text
summaries.covers_seq integer not null default 0
summaries.memory_count integer
summaries.version integer not null default 0
summaries.updated_at timestamp with time zone
summaries.refreshed_by text
summaries.stale_since timestamp with time zone
summaries.refresh_at timestamp with time zone
summaries.change_no bigint not null default 0
summaries.fence integer not null default 0
summaries.lease_until timestamp with time zone
summaries.attempts integer not null default 0
summaries.failures integer not null default 0
summaries.error_class text
summary_parts.summary_id uuid not null
summary_parts.hash bytea not null
summary_parts.tenant_id uuid not null
summary_parts.content text not null
summary_parts.created_at timestamp with time zone not null default now()
summary_versions.summary_id uuid not null
summary_versions.number integer not null
summary_versions.tenant_id uuid not null
summary_versions.content text not null
summary_versions.source text not null
summary_versions.prompt_version text
summary_versions.model text
summary_versions.actor text not null
summary_versions.covers_seq integer not null
summary_versions.memory_count integer
summary_versions.created_at timestamp with time zone not null default now()
tenants.id uuid not null
tenants.name text not null
tenants.created_at timestamp with time zone not null default now()
tenants.default_preset text
tenants.limits jsonb not null default '{}'::jsonb
tenants.events_cut_watermark bigint not null default 0
tenants.events_cut_number bigint not null default 0
turn_part_embeddings.part_id uuid not null
turn_part_embeddings.model text not null
turn_part_embeddings.tenant_id uuid not null
turn_part_embeddings.user_id text not null
turn_part_embeddings.embedding halfvec not null
turn_part_embeddings.code bit varying not null generated always as (binary_quantize(embedding)) stored
turn_part_embeddings.created_at timestamp with time zone not null default now()
turn_parts.id uuid not null
turn_parts.tenant_id uuid not null
turn_parts.user_id text not null
turn_parts.conversation_id text not null
turn_parts.seq integer not null
turn_parts.position integer not null
turn_parts.content text not null
turn_parts.search_terms tsvector not null generated always as (search_words(content)) stored
turn_parts.embedding_pending_since timestamp with time zone
turn_parts.embedding_leased_until timestamp with time zone
turn_parts.refused_by text
usage.tenant_id uuid not null
usage.day date not null
usage.user_id text not null
usage.model text not null
usage.purpose text not null
usage.calls bigint not null
usage.input_tokens bigint not null
usage.output_tokens bigint not null
usage.cost numeric
users.tenant_id uuid not null
users.user_id text not null
users.created_at timestamp with time zone not null default now()
users.updated_at timestamp with time zone
users.preset text
users.memory boolean not null default true
users.retention_days integer
vault_files.vault_id uuid not null
vault_files.memory_id uuid not null
vault_files.tenant_id uuid not null
vault_files.user_id text not null
vault_files.path text not null
vault_files.file_hash text
vault_files.version integer not null
vault_files.is_stale boolean not null default false
vault_files.writing_hash text
vault_files.writing_version integer
vaults.id uuid not null
vaults.tenant_id uuid not null
vaults.holder uuid
vaults.leased_until timestamp with time zone
vaults.imported_at timestamp with time zone
vaults.created_at timestamp with time zone not null default now()
webhook_deliveries.id uuid not null
webhook_deliveries.tenant_id uuid not null
webhook_deliveries.webhook_id uuid not null
webhook_deliveries.watermark bigint
webhook_deliveries.number bigint
webhook_deliveries.type text not null
webhook_deliveries.state text not null default 'pending'::text
webhook_deliveries.attempts integer not null default 0
webhook_deliveries.status integer
webhook_deliveries.error text
webhook_deliveries.duration_ms integer
webhook_deliveries.created_at timestamp with time zone not null default now()
webhook_deliveries.attempted_at timestamp with time zone
webhooks.id uuid not null
webhooks.tenant_id uuid not null
webhooks.url text not null
webhooks.types text[]
webhooks.secret text not null
webhooks.previous_secret text
webhooks.previous_secret_until timestamp with time zone
webhooks.disabled_at timestamp with time zone
webhooks.disabled_reason text
webhooks.watermark bigint not null
webhooks.number bigint not null
webhooks.failures integer not null default 0
webhooks.failing_since timestamp with time zone
webhooks.next_attempt_at timestamp with time zone not null default now()
webhooks.fence integer not null default 0
webhooks.lease_until timestamp with time zone
webhooks.created_at timestamp with time zone not null default now()
webhooks.updated_at timestamp with time zone not null default now()
webhooks.payload text not null default 'thin'::text

-- constraints
api_keys.api_keys_id_key UNIQUE (id)
api_keys.api_keys_lock_check CHECK (((NOT user_locked) OR ((user_id IS NOT NULL) AND (NOT (permissions && ARRAY['memory.read_all'::text, 'admin'::text, 'operator'::text, 'audit.read'::text])))))
api_keys.api_keys_pkey PRIMARY KEY (id, tenant_id)
api_keys.api_keys_tenant_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id) ON DELETE CASCADE
api_keys.api_keys_tenant_name_key UNIQUE (tenant_id, name)
audit_chains.audit_chains_pkey PRIMARY KEY (tenant_id)
audit_chains.audit_chains_tenant_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id)
audit_records.audit_records_outcome_check CHECK ((outcome = ANY (ARRAY['done'::text, 'refused'::text])))
audit_records.audit_records_pkey PRIMARY KEY (tenant_id, number)
audit_records.audit_records_tenant_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id)
budgets.budgets_amount_check CHECK ((amount >= (0)::numeric))
budgets.budgets_period_check CHECK ((period = ANY (ARRAY['day'::text, 'month'::text])))
budgets.budgets_pkey PRIMARY KEY (tenant_id, period, unit)
budgets.budgets_tenant_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id) ON DELETE CASCADE
budgets.budgets_unit_check CHECK ((unit = ANY (ARRAY['tokens'::text, 'cost'::text])))
compression_answers.compression_answers_pkey PRIMARY KEY (run_id, step, number, tenant_id)
compression_answers.compression_answers_run_fkey FOREIGN KEY (tenant_id, run_id) REFERENCES compression_runs(tenant_id, id) ON DELETE CASCADE
compression_answers.compression_answers_status_check CHECK ((status = ANY (ARRAY['pinned'::text, 'rejected'::text])))
compression_periods.compression_periods_kind_check CHECK ((kind = ANY (ARRAY['daily'::text, 'weekly'::text])))
compression_periods.compression_periods_pkey PRIMARY KEY (kind, period)
compression_runs.compression_runs_kind_check CHECK ((kind = ANY (ARRAY['daily'::text, 'weekly'::text])))
compression_runs.compression_runs_pkey PRIMARY KEY (id, tenant_id)
compression_runs.compression_runs_state_check CHECK ((state = ANY (ARRAY['pending'::text, 'active'::text, 'done'::text, 'failed'::text, 'proposed'::text])))
compression_runs.compression_runs_tenant_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id) ON DELETE CASCADE
console_sessions.console_sessions_pkey PRIMARY KEY (token_sha256, tenant_id)
console_sessions.console_sessions_tenant_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id) ON DELETE CASCADE
conversations.conversations_pkey PRIMARY KEY (tenant_id, id)
conversations.conversations_tenant_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id) ON DELETE CASCADE
document_chunk_embeddings.document_chunk_embeddings_chunk_fkey FOREIGN KEY (tenant_id, chunk_id) REFERENCES document_chunks(tenant_id, id) ON DELETE CASCADE
document_chunk_embeddings.document_chunk_embeddings_model_fkey FOREIGN KEY (model) REFERENCES embedding_models(id)
document_chunk_embeddings.document_chunk_embeddings_pkey PRIMARY KEY (chunk_id, model, tenant_id)
document_chunks.document_chunks_document_fkey FOREIGN KEY (tenant_id, document_id) REFERENCES documents(tenant_id, id) ON DELETE CASCADE
document_chunks.document_chunks_pkey PRIMARY KEY (id, tenant_id)
document_chunks.document_chunks_position_key UNIQUE (tenant_id, document_id, "position")
documents.documents_attachment_check CHECK (((conversation_id IS NULL) OR (project IS NULL)))
documents.documents_conversation_fkey FOREIGN KEY (tenant_id, conversation_id) REFERENCES conversations(tenant_id, id) ON DELETE CASCADE
documents.documents_pkey PRIMARY KEY (tenant_id, id)
documents.documents_tenant_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id) ON DELETE CASCADE
embedding_builds.embedding_builds_model_fkey FOREIGN KEY (model) REFERENCES embedding_models(id) ON DELETE CASCADE
embedding_builds.embedding_builds_pkey PRIMARY KEY (model)
embedding_builds.embedding_builds_stage_check CHECK ((stage = ANY (ARRAY['memories'::text, 'chunks'::text])))
embedding_models.embedding_models_pkey PRIMARY KEY (id)
embedding_models.embedding_models_state_check CHECK ((state = ANY (ARRAY['active'::text, 'building'::text, 'retired'::text])))
embedding_refusals.embedding_refusals_chunk_fkey FOREIGN KEY (tenant_id, chunk_id) REFERENCES document_chunks(tenant_id, id) ON DELETE CASCADE
embedding_refusals.embedding_refusals_memory_fkey FOREIGN KEY (tenant_id, memory_id) REFERENCES memories(tenant_id, id) ON DELETE CASCADE
embedding_refusals.embedding_refusals_model_fkey FOREIGN KEY (model) REFERENCES embedding_models(id) ON DELETE CASCADE
embedding_refusals.embedding_refusals_subject_check CHECK ((num_nonnulls(memory_id, chunk_id) = 1))
erasures.erasures_finished_check CHECK (((finished_at IS NULL) = (user_id IS NOT NULL)))
erasures.erasures_pkey PRIMARY KEY (id, tenant_id)
erasures.erasures_tenant_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id) ON DELETE CASCADE
event_clock.event_clock_one_check CHECK (id)
event_clock.event_clock_pkey PRIMARY KEY (id)
events.events_pkey PRIMARY KEY (tenant_id, watermark, number)
events.events_tenant_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id) ON DELETE CASCADE
extraction_outputs.extraction_outputs_extraction_fkey FOREIGN KEY (tenant_id, extraction_id) REFERENCES extractions(tenant_id, id) ON DELETE CASCADE
extraction_outputs.extraction_outputs_pkey PRIMARY KEY (extraction_id, number, tenant_id)
extraction_outputs.extraction_outputs_purpose_check CHECK ((purpose = ANY (ARRAY['extract'::text, 'continue'::text, 'reconcile'::text])))
extraction_outputs.extraction_outputs_status_check CHECK ((status = ANY (ARRAY['pinned'::text, 'rejected'::text])))
extractions.extractions_conversation_fkey FOREIGN KEY (tenant_id, conversation_id) REFERENCES conversations(tenant_id, id) ON DELETE CASCADE
extractions.extractions_pkey PRIMARY KEY (id, tenant_id)
extractions.extractions_state_check CHECK ((state = ANY (ARRAY['pending'::text, 'active'::text, 'done'::text, 'failed'::text, 'dropped'::text, 'skipped'::text])))
factmill_functions.factmill_functions_pkey PRIMARY KEY (name)
factmill_migrations.factmill_migrations_pk PRIMARY KEY (number)
idempotency_keys.idempotency_keys_pkey PRIMARY KEY (tenant_id, key)
idempotency_keys.idempotency_keys_tenant_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id) ON DELETE CASCADE
imported_items.imported_items_pkey PRIMARY KEY (tenant_id, user_id, source, item_sha256)
imported_items.imported_items_tenant_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id) ON DELETE CASCADE
legal_holds.legal_holds_pkey PRIMARY KEY (id, tenant_id)
legal_holds.legal_holds_subject_key UNIQUE (tenant_id, user_id)
legal_holds.legal_holds_tenant_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id) ON DELETE CASCADE
memories.memories_confidence_check CHECK (((confidence >= 0) AND (confidence <= 100)))
memories.memories_importance_check CHECK (((importance >= (0)::double precision) AND (importance <= (1)::double precision)))
memories.memories_kind_check CHECK ((kind = ANY (ARRAY['fact'::text, 'qa'::text, 'note'::text, 'event'::text])))
memories.memories_pkey PRIMARY KEY (id, tenant_id)
memories.memories_scope_check CHECK ((scope = ANY (ARRAY['global'::text, 'conversation'::text])))
memories.memories_tenant_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id) ON DELETE CASCADE
memories.memories_tier_check CHECK (((tier >= 1) AND (tier <= 3)))
memory_embeddings.memory_embeddings_memory_fkey FOREIGN KEY (tenant_id, memory_id) REFERENCES memories(tenant_id, id) ON DELETE CASCADE
memory_embeddings.memory_embeddings_model_fkey FOREIGN KEY (model) REFERENCES embedding_models(id)
memory_embeddings.memory_embeddings_pkey PRIMARY KEY (memory_id, model, tenant_id)
memory_versions.memory_versions_operation_check CHECK ((operation = ANY (ARRAY['ADD'::text, 'UPDATE'::text, 'SUPERSEDE'::text, 'DELETE'::text, 'MERGE'::text, 'ARCHIVE'::text, 'RESTORE'::text])))
memory_versions.memory_versions_pkey PRIMARY KEY (memory_id, number, tenant_id)
memory_versions.memory_versions_tenant_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id) ON DELETE CASCADE
messages.messages_content_check CHECK (((content IS NOT NULL) OR (tool_calls IS NOT NULL) OR (removed_at IS NOT NULL)))
messages.messages_conversation_fkey FOREIGN KEY (tenant_id, conversation_id) REFERENCES conversations(tenant_id, id) ON DELETE CASCADE
messages.messages_id_key UNIQUE (tenant_id, conversation_id, id)
messages.messages_pkey PRIMARY KEY (tenant_id, conversation_id, seq)
messages.messages_role_check CHECK ((role = ANY (ARRAY['system'::text, 'developer'::text, 'user'::text, 'assistant'::text, 'tool'::text, 'function'::text])))
provider_breakers.provider_breakers_pkey PRIMARY KEY (provider)
replay_answers.replay_answers_pkey PRIMARY KEY (run_id, number, tenant_id)
replay_answers.replay_answers_purpose_check CHECK ((purpose = ANY (ARRAY['extract'::text, 'continue'::text, 'reconcile'::text])))
replay_answers.replay_answers_run_fkey FOREIGN KEY (tenant_id, run_id) REFERENCES replay_runs(tenant_id, id) ON DELETE CASCADE
replay_answers.replay_answers_status_check CHECK ((status = ANY (ARRAY['pinned'::text, 'rejected'::text])))
replay_memories.replay_memories_base_fkey FOREIGN KEY (tenant_id, base_id) REFERENCES memories(tenant_id, id) ON DELETE CASCADE
replay_memories.replay_memories_origin_check CHECK (((run_id IS NULL) <> (base_id IS NULL)))
replay_memories.replay_memories_pkey PRIMARY KEY (id, replay_id, tenant_id)
replay_memories.replay_memories_replay_fkey FOREIGN KEY (tenant_id, replay_id) REFERENCES replays(tenant_id, id) ON DELETE CASCADE
replay_memories.replay_memories_run_fkey FOREIGN KEY (tenant_id, run_id) REFERENCES replay_runs(tenant_id, id) ON DELETE CASCADE
replay_runs.replay_runs_extraction_check CHECK (((kind = 'extract'::text) = (extraction_id IS NOT NULL)))
replay_runs.replay_runs_extraction_fkey FOREIGN KEY (tenant_id, extraction_id) REFERENCES extractions(tenant_id, id) ON DELETE CASCADE
replay_runs.replay_runs_kind_check CHECK ((kind = ANY (ARRAY['extract'::text, 'apply'::text, 'undo'::text])))
replay_runs.replay_runs_pkey PRIMARY KEY (id, tenant_id)
replay_runs.replay_runs_replay_fkey FOREIGN KEY (tenant_id, replay_id) REFERENCES replays(tenant_id, id) ON DELETE CASCADE
replay_runs.replay_runs_state_check CHECK ((state = ANY (ARRAY['pending'::text, 'active'::text, 'done'::text, 'failed'::text])))
replays.replays_phase_check CHECK ((phase = ANY (ARRAY['extract'::text, 'apply'::text, 'undo'::text, 'discarded'::text])))
replays.replays_pkey PRIMARY KEY (id, tenant_id)
replays.replays_tenant_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id) ON DELETE CASCADE
retention_policies.retention_policies_days_check CHECK ((LEAST(messages_days, outputs_days, versions_days, events_days, audit_days) >= 1))
retention_policies.retention_policies_pkey PRIMARY KEY (tenant_id)
retention_policies.retention_policies_tenant_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id) ON DELETE CASCADE
retention_runs.retention_runs_pkey PRIMARY KEY (id, tenant_id)
retention_runs.retention_runs_tenant_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id) ON DELETE CASCADE
settings.settings_pkey PRIMARY KEY (key)
spending.spending_pkey PRIMARY KEY (tenant_id, day)
spending.spending_tenant_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id) ON DELETE CASCADE
summaries.summaries_conversation_fkey FOREIGN KEY (tenant_id, of_conversation) REFERENCES conversations(tenant_id, id) ON DELETE CASCADE
summaries.summaries_owner_key UNIQUE (tenant_id, user_id, conversation_id)
summaries.summaries_pkey PRIMARY KEY (id, tenant_id)
summaries.summaries_refreshed_by_check CHECK ((refreshed_by = ANY (ARRAY['model'::text, 'composed'::text])))
summaries.summaries_source_check CHECK ((source = ANY (ARRAY['model'::text, 'composed'::text, 'manual'::text])))
summaries.summaries_tenant_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id) ON DELETE CASCADE
summary_parts.summary_parts_pkey PRIMARY KEY (summary_id, hash, tenant_id)
summary_parts.summary_parts_summary_fkey FOREIGN KEY (tenant_id, summary_id) REFERENCES summaries(tenant_id, id) ON DELETE CASCADE
summary_versions.summary_versions_pkey PRIMARY KEY (summary_id, number, tenant_id)
summary_versions.summary_versions_summary_fkey FOREIGN KEY (tenant_id, summary_id) REFERENCES summaries(tenant_id, id) ON DELETE CASCADE
tenants.tenants_name_key UNIQUE (name)
tenants.tenants_pkey PRIMARY KEY (id)
turn_part_embeddings.turn_part_embeddings_model_fkey FOREIGN KEY (model) REFERENCES embedding_models(id)
turn_part_embeddings.turn_part_embeddings_part_fkey FOREIGN KEY (part_id, tenant_id) REFERENCES turn_parts(id, tenant_id) ON DELETE CASCADE
turn_part_embeddings.turn_part_embeddings_pkey PRIMARY KEY (part_id, model, tenant_id)
turn_parts.turn_parts_message_fkey FOREIGN KEY (tenant_id, conversation_id, seq) REFERENCES messages(tenant_id, conversation_id, seq) ON DELETE CASCADE
turn_parts.turn_parts_pkey PRIMARY KEY (id, tenant_id)
turn_parts.turn_parts_position_key UNIQUE (tenant_id, conversation_id, seq, "position")
usage.usage_pkey PRIMARY KEY (tenant_id, day, user_id, model, purpose)
usage.usage_tenant_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id) ON DELETE CASCADE
users.users_pkey PRIMARY KEY (tenant_id, user_id)
users.users_retention_check CHECK ((retention_days >= 1))
users.users_tenant_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id) ON DELETE CASCADE
vault_files.vault_files_path_key UNIQUE (vault_id, path, tenant_id)
vault_files.vault_files_pkey PRIMARY KEY (vault_id, memory_id, tenant_id)
vault_files.vault_files_vault_fkey FOREIGN KEY (vault_id, tenant_id) REFERENCES vaults(id, tenant_id) ON DELETE CASCADE
vaults.vaults_pkey PRIMARY KEY (id, tenant_id)
vaults.vaults_tenant_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id) ON DELETE CASCADE
webhook_deliveries.webhook_deliveries_pkey PRIMARY KEY (id, tenant_id)
webhook_deliveries.webhook_deliveries_state_check CHECK ((state = ANY (ARRAY['pending'::text, 'delivered'::text, 'failed'::text])))
webhook_deliveries.webhook_deliveries_webhook_fkey FOREIGN KEY (webhook_id, tenant_id) REFERENCES webhooks(id, tenant_id) ON DELETE CASCADE
webhooks.webhooks_disabled_check CHECK (((disabled_at IS NULL) = (disabled_reason IS NULL)))
webhooks.webhooks_payload_check CHECK ((payload = ANY (ARRAY['thin'::text, 'full'::text])))
webhooks.webhooks_pkey PRIMARY KEY (id, tenant_id)
webhooks.webhooks_tenant_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id) ON DELETE CASCADE

-- indexes
CREATE INDEX audit_records_at_idx ON public.audit_records USING btree (tenant_id, at)
CREATE INDEX audit_records_user_idx ON public.audit_records USING btree (tenant_id, user_pseudonym, number) WHERE (user_pseudonym IS NOT NULL)
CREATE UNIQUE INDEX compression_answers_pinned_key ON public.compression_answers USING btree (run_id, step, tenant_id) WHERE (status = 'pinned'::text)
CREATE INDEX compression_runs_finished_idx ON public.compression_runs USING btree (finished_at) WHERE (plan IS NOT NULL)
CREATE INDEX compression_runs_open_idx ON public.compression_runs USING btree (created_at) WHERE (state = ANY (ARRAY['pending'::text, 'active'::text]))
CREATE UNIQUE INDEX compression_runs_period_key ON public.compression_runs USING btree (tenant_id, user_id, kind, period) WHERE (NOT dry_run)
CREATE INDEX compression_runs_user_idx ON public.compression_runs USING btree (tenant_id, user_id, created_at DESC)
CREATE INDEX console_sessions_expiry_idx ON public.console_sessions USING btree (expires_at)
CREATE INDEX conversations_due_idx ON public.conversations USING btree (extraction_due_at) WHERE (extraction_due_at IS NOT NULL)
CREATE INDEX conversations_unindexed_idx ON public.conversations USING btree (last_active_at) WHERE (indexed_seq < last_seq)
CREATE INDEX conversations_user_idx ON public.conversations USING btree (user_id, tenant_id, last_active_at DESC)
CREATE INDEX conversations_waiting_idx ON public.conversations USING btree (tenant_id, user_id, last_active_at) WHERE (extraction_due_at IS NOT NULL)
CREATE INDEX document_chunk_embeddings_user_idx ON public.document_chunk_embeddings USING btree (tenant_id, user_id, model)
CREATE INDEX document_chunks_embedding_pending_idx ON public.document_chunks USING btree (embedding_pending_since, id) WHERE (embedding_pending_since IS NOT NULL)
CREATE INDEX document_chunks_short_idx ON public.document_chunks USING btree (tenant_id, user_id) WHERE (matching_text IS NOT NULL)
CREATE INDEX documents_conversation_idx ON public.documents USING btree (tenant_id, conversation_id) WHERE (conversation_id IS NOT NULL)
CREATE INDEX documents_user_idx ON public.documents USING btree (tenant_id, user_id, created_at DESC, id DESC)
CREATE UNIQUE INDEX embedding_models_active_key ON public.embedding_models USING btree (state) WHERE (state = 'active'::text)
CREATE UNIQUE INDEX embedding_refusals_chunk_key ON public.embedding_refusals USING btree (chunk_id, model, tenant_id) WHERE (chunk_id IS NOT NULL)
CREATE UNIQUE INDEX embedding_refusals_memory_key ON public.embedding_refusals USING btree (memory_id, model, tenant_id) WHERE (memory_id IS NOT NULL)
CREATE INDEX erasures_finished_idx ON public.erasures USING btree (tenant_id, finished_xid) WHERE (finished_xid IS NOT NULL)
CREATE UNIQUE INDEX erasures_open_key ON public.erasures USING btree (tenant_id, user_id) WHERE (finished_at IS NULL)
CREATE INDEX events_user_idx ON public.events USING btree (tenant_id, user_id, watermark, number)
CREATE INDEX extraction_outputs_created_idx ON public.extraction_outputs USING btree (created_at, tenant_id)
CREATE UNIQUE INDEX extraction_outputs_pinned_key ON public.extraction_outputs USING btree (extraction_id, purpose, tenant_id) WHERE (status = 'pinned'::text)
CREATE INDEX extractions_accepted_idx ON public.extractions USING btree (tenant_id, accepted_at) WHERE (accepted_no > 0)
CREATE UNIQUE INDEX extractions_active_key ON public.extractions USING btree (tenant_id, conversation_id) WHERE (state = 'active'::text)
CREATE INDEX extractions_conversation_idx ON public.extractions USING btree (tenant_id, conversation_id, to_seq)
CREATE INDEX extractions_conversation_open_idx ON public.extractions USING btree (tenant_id, conversation_id, accepted_no) WHERE (state = ANY (ARRAY['pending'::text, 'active'::text]))
CREATE INDEX extractions_deferred_idx ON public.extractions USING btree (tenant_id, accepted_no) WHERE ((deferred_until IS NOT NULL) AND (state = 'pending'::text))
CREATE INDEX extractions_list_idx ON public.extractions USING btree (tenant_id, accepted_no DESC)
CREATE INDEX extractions_open_idx ON public.extractions USING btree (accepted_no) WHERE (state = ANY (ARRAY['pending'::text, 'active'::text]))
CREATE INDEX extractions_troubled_idx ON public.extractions USING btree (tenant_id, accepted_no) WHERE (state = ANY (ARRAY['failed'::text, 'dropped'::text]))
CREATE INDEX extractions_user_idx ON public.extractions USING btree (tenant_id, user_id, accepted_no DESC)
CREATE INDEX extractions_waiting_idx ON public.extractions USING btree (tenant_id, accepted_no) WHERE ((state = 'pending'::text) AND (started_at IS NULL))
CREATE INDEX idempotency_keys_created_idx ON public.idempotency_keys USING btree (created_at)
CREATE INDEX idempotency_keys_user_idx ON public.idempotency_keys USING btree (tenant_id, ((response ->> 'user_id'::text)))
CREATE INDEX memories_content_idx ON public.memories USING btree (tenant_id, user_id, content_hash)
CREATE UNIQUE INDEX memories_content_key ON public.memories USING btree (tenant_id, user_id, scope, conversation_id, content_hash) WHERE ((key IS NULL) AND (subject_hash IS NULL) AND is_current)
CREATE INDEX memories_deleted_idx ON public.memories USING btree (deleted_at) WHERE (deleted_at IS NOT NULL)
CREATE INDEX memories_embedding_pending_idx ON public.memories USING btree (embedding_pending_since) WHERE (embedding_pending_since IS NOT NULL)
CREATE INDEX memories_ended_idx ON public.memories USING btree (tenant_id, user_id, LEAST(valid_to, expires_at)) WHERE (LEAST(valid_to, expires_at) IS NOT NULL)
CREATE INDEX memories_expiry_idx ON public.memories USING btree (expires_at) WHERE (expires_at IS NOT NULL)
CREATE INDEX memories_extraction_idx ON public.memories USING btree (extraction_id) WHERE (extraction_id IS NOT NULL)
CREATE UNIQUE INDEX memories_key_key ON public.memories USING btree (tenant_id, user_id, scope, conversation_id, category, key) WHERE ((key IS NOT NULL) AND is_current)
CREATE INDEX memories_profile_idx ON public.memories USING btree (tenant_id, user_id) WHERE ((tier = 1) AND is_current)
CREATE INDEX memories_project_idx ON public.memories USING btree (tenant_id, user_id, project) WHERE (is_current AND (project IS NOT NULL))
CREATE INDEX memories_search_text_trgm ON public.memories USING gin (search_text gin_trgm_ops) WITH (gin_pending_list_limit='256') WHERE is_current
CREATE INDEX memories_source_category_idx ON public.memories USING btree (tenant_id, source, category) WHERE is_current
CREATE INDEX memories_stated_idx ON public.memories USING btree (tenant_id, user_id, stated_at DESC, id DESC) WHERE is_current
CREATE UNIQUE INDEX memories_subject_key ON public.memories USING btree (tenant_id, user_id, scope, conversation_id, subject_hash) WHERE ((subject_hash IS NOT NULL) AND is_current)
CREATE INDEX memories_uncompressed_idx ON public.memories USING btree (tenant_id, user_id, stated_at) WHERE ((tier = 3) AND is_current AND (compressed_at IS NULL))
CREATE INDEX memories_user_idx ON public.memories USING btree (tenant_id, user_id, created_at DESC, id DESC) WHERE is_current
CREATE INDEX memories_valid_idx ON public.memories USING btree (tenant_id, user_id, valid_from) WHERE is_current
CREATE INDEX memories_words_idx ON public.memories USING gin (search_keys(tenant_id, user_id, search_terms)) WITH (gin_pending_list_limit='128') WHERE is_current
CREATE INDEX memories_written_idx ON public.memories USING btree (tenant_id, user_id, written) WHERE is_current
CREATE INDEX memory_embeddings_near_idx ON public.memory_embeddings USING btree (tenant_id, user_id, model, written) INCLUDE (memory_id, code)
CREATE INDEX memory_versions_user_idx ON public.memory_versions USING btree (tenant_id, user_id, created_at)
CREATE INDEX memory_versions_written_idx ON public.memory_versions USING btree (tenant_id, written) WHERE (written IS NOT NULL)
CREATE UNIQUE INDEX replay_answers_pinned_key ON public.replay_answers USING btree (run_id, purpose, tenant_id) WHERE (status = 'pinned'::text)
CREATE INDEX replay_memories_base_idx ON public.replay_memories USING btree (base_id, tenant_id) WHERE (base_id IS NOT NULL)
CREATE INDEX replay_memories_run_idx ON public.replay_memories USING btree (run_id, tenant_id) WHERE (run_id IS NOT NULL)
CREATE INDEX replay_memories_shadow_idx ON public.replay_memories USING btree (replay_id, tenant_id, user_id)
CREATE INDEX replay_memories_user_idx ON public.replay_memories USING btree (user_id, tenant_id)
CREATE INDEX replay_runs_extraction_idx ON public.replay_runs USING btree (extraction_id, tenant_id) WHERE (extraction_id IS NOT NULL)
CREATE INDEX replay_runs_open_idx ON public.replay_runs USING btree (created_at) WHERE (state = ANY (ARRAY['pending'::text, 'active'::text]))
CREATE INDEX replay_runs_order_idx ON public.replay_runs USING btree (replay_id, tenant_id, user_id, "position")
CREATE INDEX replay_runs_user_idx ON public.replay_runs USING btree (user_id, tenant_id)
CREATE INDEX replays_list_idx ON public.replays USING btree (tenant_id, created_at DESC, id DESC)
CREATE INDEX retention_policies_due_idx ON public.retention_policies USING btree (due_at)
CREATE INDEX retention_runs_list_idx ON public.retention_runs USING btree (tenant_id, requested_at DESC, id DESC)
CREATE INDEX retention_runs_open_idx ON public.retention_runs USING btree (requested_at) WHERE (finished_at IS NULL)
CREATE INDEX summaries_conversation_idx ON public.summaries USING btree (tenant_id, of_conversation) WHERE (of_conversation IS NOT NULL)
CREATE INDEX summaries_refresh_idx ON public.summaries USING btree (refresh_at) WHERE (refresh_at IS NOT NULL)
CREATE INDEX summary_versions_created_idx ON public.summary_versions USING btree (created_at)
CREATE INDEX turn_part_embeddings_near_idx ON public.turn_part_embeddings USING btree (tenant_id, user_id, model, part_id) INCLUDE (code)
CREATE INDEX turn_parts_embedding_pending_idx ON public.turn_parts USING btree (embedding_pending_since, id) WHERE (embedding_pending_since IS NOT NULL)
CREATE INDEX turn_parts_user_idx ON public.turn_parts USING btree (tenant_id, user_id, id)
CREATE INDEX turn_parts_words_idx ON public.turn_parts USING gin (search_keys(tenant_id, user_id, search_terms)) WITH (gin_pending_list_limit='128')
CREATE INDEX usage_user_idx ON public.usage USING btree (tenant_id, user_id)
CREATE UNIQUE INDEX webhook_deliveries_event_key ON public.webhook_deliveries USING btree (tenant_id, webhook_id, watermark, number)
CREATE INDEX webhook_deliveries_list_idx ON public.webhook_deliveries USING btree (tenant_id, webhook_id, created_at, id)
CREATE INDEX webhook_deliveries_pending_idx ON public.webhook_deliveries USING btree (tenant_id, webhook_id, watermark, number) WHERE (state = 'pending'::text)
CREATE INDEX webhooks_due_idx ON public.webhooks USING btree (next_attempt_at) WHERE (disabled_at IS NULL)
CREATE INDEX webhooks_tenant_idx ON public.webhooks USING btree (tenant_id, created_at, id)

-- functions
CREATE OR REPLACE FUNCTION public.accept_conversation(r jsonb, schedule jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
AS $function$
declare
  v_tenant uuid := (r->>'tenant_id')::uuid;
  v_key text := r->>'idempotency_key';
  v_conversation conversations;
  v_known idempotency_keys;
  v_user text;
  v_owner users;
  v_preset text;
  v_first integer;
  v_last integer;
  v_begun boolean := false;
  v_replaced integer;
  v_ids jsonb;
  v_trigger jsonb;
  v_due_at timestamptz;
  v_due_for text;
  v_parts jsonb;
  v_extraction jsonb := null;
  v_answer jsonb;
begin
  if v_key is not null then
    insert into idempotency_keys (tenant_id, key, request_sha256)
      values (v_tenant, v_key, r->>'request_sha256') on conflict do nothing;
    if not found then
      select * into v_known from idempotency_keys where tenant_id = v_tenant and key = v_key;
      if v_known.key is null then
        raise exception 'the idempotency key was purged meanwhile' using errcode = 'serialization_failure';
      end if;
      if v_known.request_sha256 <> r->>'request_sha256' then
        return jsonb_build_object('status', 'idempotency_conflict');
      end if;
      return v_known.response || '{"status": "replayed"}';
    end if;
  end if;

  select * into v_conversation from conversations
    where tenant_id = v_tenant and id = r->>'conversation_id' for no key update;
  v_user := coalesce(r->>'user_id', v_conversation.user_id, r->>'fallback_user_id');
  if v_user = 'unknown' then
    if v_key is not null then
      delete from idempotency_keys where tenant_id = v_tenant and key = v_key;
    end if;
    return jsonb_build_object('status', 'unknown_user');
  end if;
  select * into v_owner from users where tenant_id = v_tenant and user_id = v_user;
  if not v_owner.memory then
    if v_key is not null then
      delete from idempotency_keys where tenant_id = v_tenant and key = v_key;
    end if;
    return jsonb_build_object('status', 'memory_off', 'user_id', v_user);
  end if;
  -- The conversation is locked, so nobody deletes it until this commits. The same words said anew are another turn.
  if r ? 'turn_accepted_at' and not exists (
      select 1 from messages where tenant_id = v_tenant and conversation_id = v_conversation.id
        and id = r->>'reply_to' and received_at <= (r->>'turn_accepted_at')::timestamptz) then
    return jsonb_build_object('status', 'turn_deleted');
  end if;
  if v_conversation.id is null then
    insert into conversations (tenant_id, id, user_id, project, title, policy, metadata)
      values (v_tenant, r->>'conversation_id', v_user, r->>'project', r->>'title',
              coalesce(r->'policy', '{}'), coalesce(r->'metadata', '{}'))
      on conflict (tenant_id, id) do nothing;
    v_begun := found;
    select * into v_conversation from conversations
      where tenant_id = v_tenant and id = r->>'conversation_id' for no key update;
    if v_conversation.id is null then
      raise exception 'the conversation was deleted meanwhile' using errcode = 'serialization_failure';
    end if;
  end if;
  if v_conversation.user_id <> v_user then
    if v_key is not null then
      delete from idempotency_keys where tenant_id = v_tenant and key = v_key;
    end if;
    return jsonb_build_object('status', 'user_mismatch');
  end if;

  select coalesce(jsonb_agg(m.value->>'id' order by m.ordinality), '[]') into v_ids
    from jsonb_array_elements(coalesce(r->'messages', '[]')) with ordinality as m;

  -- A regenerated reply replaces the assistant turns after the last user turn, or those of the turn that it replies to;
  -- posted again, it is known already and replaces nothing.
  if coalesce((r->>'regenerated')::boolean, false) and exists (
      select 1 from jsonb_array_elements_text(v_ids) as given (id) where not exists (
        select 1 from messages known where known.tenant_id = v_tenant
          and known.conversation_id = v_conversation.id and known.id = given.id)) then
    with replaced as (
      update messages set superseded = true
        where tenant_id = v_tenant and conversation_id = v_conversation.id and role = 'assistant'
          and not v_ids ? id
          and seq > (select coalesce(max(seq), 0) from messages
                     where tenant_id = v_tenant and conversation_id = v_conversation.id
                       and case when r ? 'reply_to' then id = r->>'reply_to' else role = 'user' end)
          and (not r ? 'reply_to' or starts_with(id, (r->>'reply_to') || '.'))
        returning seq
    )
    select min(seq) into v_replaced from replaced where seq <= v_conversation.scheduled_seq;
  end if;

  with incoming as (
    select m.value as body, m.ordinality as place
      from jsonb_array_elements(coalesce(r->'messages', '[]')) with ordinality as m
  ), fresh as (
    select distinct on (body->>'id') body, place from incoming
      where not exists (select 1 from messages known
        where known.tenant_id = v_tenant and known.conversation_id = v_conversation.id
          and known.id = body->>'id')
      order by body->>'id', place
  ), stored as (
    insert into messages (tenant_id, conversation_id, seq, id, role, content, name, tool_calls, tool_call_id,
                          channel, sender, token_estimate, created_at)
    select v_tenant, v_conversation.id, v_conversation.last_seq + row_number() over (order by place),
           body->>'id', body->>'role', body->>'content', body->>'name',
           nullif(body->'tool_calls', 'null'), body->>'tool_call_id', body->>'channel', body->>'sender',
           (body->>'token_estimate')::integer, coalesce((body->>'created_at')::timestamptz, now())
      from fresh
    returning seq
  )
  select coalesce(max(seq), v_conversation.last_seq) into v_last from stored;

  v_preset := coalesce(r->>'preset', v_conversation.policy->>'preset', v_owner.preset,
                       (select default_preset from tenants where id = v_tenant), schedule->>'preset');
  v_trigger := trigger_of(v_conversation.policy, v_preset, schedule);
  v_replaced := least(v_conversation.replaced_from_seq,
                      case when coalesce((v_trigger->>'reads_replies')::boolean, false) then v_replaced end);
  if v_last = v_conversation.scheduled_seq or r->>'extract' = 'never' then
    v_due_at := v_conversation.extraction_due_at;
    v_due_for := v_conversation.extraction_due_for;
  elsif r->>'extract' = 'now' then
    v_due_at := now();
    v_due_for := r->>'trigger';
  elsif v_conversation.extraction_due_at <= now()
        or (v_conversation.extraction_due_at is not null and v_last = v_conversation.last_seq) then
    v_due_at := v_conversation.extraction_due_at;
    v_due_for := v_conversation.extraction_due_for;
  else
    select * into v_due_at, v_due_for
      from conversation_due(v_tenant, v_conversation.id, v_conversation.scheduled_seq, v_trigger, schedule, now());
    if v_due_at is null and v_replaced is not null then
      v_due_at := now();
      v_due_for := 'regenerated';
    end if;
  end if;

  if v_due_at <= now() and v_last > v_conversation.scheduled_seq and r->>'extract' <> 'never' then
    select jsonb_agg(id order by place) into v_parts from schedule_extractions(jsonb_build_array(jsonb_build_object(
        'tenant_id', v_tenant, 'conversation_id', v_conversation.id, 'user_id', v_user,
        'from_seq', v_conversation.scheduled_seq + 1, 'to_seq', v_last, 'scope', v_trigger->'scope',
        'max_turns', v_trigger->'max_turns', 'id', r->'extraction_id',
        'trigger', coalesce(nullif(v_due_for, 'messages'), r->>'trigger'),
        'preset', v_preset,
        'metadata', r->'extraction_metadata', 'traceparent', r->'traceparent',
        'replaces_from_seq', v_replaced))) as s where not s.passed_over;
    v_extraction := jsonb_build_object('id', r->>'extraction_id', 'state', 'pending', 'enqueue', true);
    if jsonb_array_length(v_parts) > 1 then
      v_extraction := v_extraction || jsonb_build_object('part_ids', v_parts);
    end if;
  elsif jsonb_array_length(v_ids) > 0 and v_last = v_conversation.last_seq then
    -- Everything was known already: answer with the extraction that covers it, if there is one.
    select max(seq) into v_first from messages
      where tenant_id = v_tenant and conversation_id = v_conversation.id
        and id in (select jsonb_array_elements_text(v_ids));
    select jsonb_build_object('id', e.id, 'state', e.state, 'enqueue', false) into v_extraction
      from extractions e
      where e.tenant_id = v_tenant and e.conversation_id = v_conversation.id
        and v_first between e.from_seq and e.to_seq
      order by e.accepted_no desc limit 1;
  end if;

  update conversations
    set last_seq = v_last,
        scheduled_seq = case when v_parts is null then scheduled_seq else v_last end,
        extraction_due_at = case when v_parts is null then v_due_at end,
        extraction_due_for = case when v_parts is null then v_due_for end,
        extraction_traceparent = case when v_parts is null and v_due_at is not null
          then coalesce(r->>'traceparent', extraction_traceparent) end,
        replaced_from_seq = case when v_parts is null then v_replaced end,
        last_active_at = case when v_last > last_seq then now() else last_active_at end
    where tenant_id = v_tenant and id = v_conversation.id;
  if v_begun then
    perform make_stale_due(array[v_tenant], array[v_user], (schedule->>'stale_after_s')::integer);
  end if;

  v_answer := jsonb_build_object('user_id', v_user, 'conversation_id', v_conversation.id,
                                 'message_ids', v_ids, 'extraction', v_extraction);
  if v_key is not null then
    update idempotency_keys
      set response = case when v_extraction is null then v_answer
                          else jsonb_set(v_answer, '{extraction,enqueue}', 'false') end
      where tenant_id = v_tenant and key = v_key;
  end if;
  return v_answer || '{"status": "accepted"}';
end $function$

CREATE OR REPLACE FUNCTION public.accept_conversations(requests jsonb, queue_limit integer, tenant_queue_limit integer, schedule jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
AS $function$
declare
  v_request jsonb;
  v_place bigint;
  v_begun jsonb;
  v_conflicts jsonb;
  v_others jsonb := '{}';
  v_dropped jsonb := '[]';
begin
  if queue_limit > 0 or tenant_queue_limit > 0 then
    perform pg_advisory_xact_lock(hashtext('factmill.drop_oldest'));
  end if;
  -- Keys in one order for everybody: the requests come in the order of their conversations, so that two calls
  -- with the same keys could wait for each other.
  perform pg_advisory_xact_lock(key_lock) from (
    select distinct hashtextextended(
        'factmill.idempotency ' || (value->>'tenant_id') || ' ' || (value->>'idempotency_key'), 0) as key_lock
      from jsonb_array_elements(requests) where value->>'idempotency_key' is not null
      order by key_lock offset 0) as keys;
  v_begun := accept_new_conversations(requests, schedule);
  if (select count(*) from jsonb_object_keys(v_begun)) < jsonb_array_length(requests) then
    for v_request, v_place in select value, ordinality from jsonb_array_elements(requests) with ordinality loop
      continue when v_begun ? v_place::text;
      v_conflicts := conflicting_messages(v_request);
      v_others := v_others || jsonb_build_object(v_place::text, case when v_conflicts is null
        then accept_conversation(v_request, schedule)
        else jsonb_build_object('status', 'message_conflict', 'conflicts', v_conflicts) end);
    end loop;
  end if;
  if queue_limit > 0 or tenant_queue_limit > 0 then
    v_dropped := drop_oldest(
      array(select distinct (value->>'tenant_id')::uuid from jsonb_array_elements(requests)),
      queue_limit, tenant_queue_limit);
  end if;
  return jsonb_build_object('begun', v_begun, 'others', v_others, 'dropped', v_dropped, 'accepted_at', now());
end $function$

CREATE OR REPLACE FUNCTION public.accept_new_conversations(requests jsonb, schedule jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
AS $function$
declare
  v_taken jsonb;
  v_tenants uuid[];
  v_users text[];
begin
  -- Materialized: a policy lets an index find a row by a plain value, not by one that a function takes out of the JSON.
  with requested as materialized (
    select place, r, (r->>'tenant_id')::uuid as tenant_id, r->>'conversation_id' as conversation_id,
           coalesce(r->>'user_id', r->>'fallback_user_id') as user_id
      from jsonb_array_elements(requests) with ordinality as e (r, place)
  ), given as (
    select e.*, r->'messages' as messages,
           jsonb_array_length(r->'messages') as message_count, (r->>'user_turns')::integer as user_turns,
           r->>'extract' as extract, coalesce(r->>'preset', u.preset, t.default_preset) as preset,
           trigger_of('{}', coalesce(r->>'preset', u.preset, t.default_preset), schedule) as policy,
           coalesce(u.memory, true) as has_memory,
           row_number() over (partition by e.tenant_id, conversation_id order by place) as nth
      from requested e
      left join lateral (select * from tenants where id = e.tenant_id offset 0) as t on true
      left join lateral (select * from users
        where tenant_id = e.tenant_id and user_id = e.user_id offset 0) as u on true
  ), plain as (
    select given.*, coalesce(extract = 'now' or due_at <= now(), false) as extracts, due_at, due_for
      from given cross join lateral extraction_due(
        policy, schedule, case extract when 'auto' then user_turns else 0 end, (r->>'tokens')::bigint,
        (r->>'has_reply')::boolean, now()) as due
      where nth = 1 and message_count > 0 and user_id <> 'unknown' and has_memory
        and r->>'idempotency_key' is null
        and user_turns is not null and not r ? 'policy' and not r ? 'turn_accepted_at'
        and coalesce(policy->>'scope', '') <> 'ephemeral'
        and (user_turns <= (policy->>'max_turns')::integer or coalesce((policy->>'max_turns')::integer, 0) = 0)
  ), made as (
    insert into conversations (tenant_id, id, user_id, last_seq, scheduled_seq, extraction_due_at, extraction_due_for,
                               extraction_traceparent)
    select tenant_id, conversation_id, user_id, message_count, case when extracts then message_count else 0 end,
           case when not extracts then due_at end, case when not extracts then due_for end,
           case when not extracts and due_at is not null then r->>'traceparent' end
      from plain order by tenant_id, conversation_id
    on conflict (tenant_id, id) do nothing
    returning tenant_id, id as conversation_id
  ), taken as (
    select * from plain join made using (tenant_id, conversation_id)
  ), stored as (
    insert into messages (tenant_id, conversation_id, seq, id, role, content, name, tool_calls, tool_call_id,
                          channel, sender, token_estimate, created_at)
    select tenant_id, conversation_id, seq, body->>'id', body->>'role', body->>'content', body->>'name',
           nullif(body->'tool_calls', 'null'), body->>'tool_call_id', body->>'channel', body->>'sender',
           (body->>'token_estimate')::integer,
           coalesce((body->>'created_at')::timestamptz, now())
      from taken cross join lateral jsonb_array_elements(messages) with ordinality as m (body, seq)
  ), scheduled as (
    insert into extractions (id, tenant_id, user_id, conversation_id, from_seq, to_seq, trigger, preset,
                             metadata, traceparent)
    select (r->>'extraction_id')::uuid, tenant_id, user_id, conversation_id, 1, message_count,
           r->>'trigger',
           coalesce(preset, schedule->>'preset'), coalesce(r->'extraction_metadata', '{}'), r->>'traceparent'
      from taken where extracts order by place
  )
  select coalesce(jsonb_object_agg(place, extracts), '{}'), array_agg(tenant_id), array_agg(user_id)
    into v_taken, v_tenants, v_users from taken;
  if v_tenants is not null then
    perform make_stale_due(v_tenants, v_users, (schedule->>'stale_after_s')::integer);
  end if;
  return v_taken;
end $function$

CREATE OR REPLACE FUNCTION public.activate_embedding_model(model_id text)
 RETURNS boolean
 LANGUAGE plpgsql
AS $function$
begin
  perform pg_advisory_xact_lock(hashtext('factmill.embedding_models'));
  delete from embedding_builds where model = model_id;
  if not found then
    return false;
  end if;
  update embedding_models set state = 'retired' where state = 'active' and id <> model_id;
  update embedding_models set state = 'active', activated_at = now() where id = model_id;
  return true;
end $function$

CREATE OR REPLACE FUNCTION public.add_memories(given jsonb, changed_by text, extraction uuid)
 RETURNS uuid[]
 LANGUAGE plpgsql
AS $function$
declare
  v_ids uuid[];
begin
  with added as (
    insert into memories (id, tenant_id, user_id, tier, kind, category, key, value, content, question, answer,
      tags, project, topic, importance, confidence, source, source_context, scope, conversation_id, content_hash,
      subject_hash, stated_at, valid_from, valid_to, superseded_by, expires_at, last_verified_at, extraction_id,
      message_ids, channel, sender, event_date, source_tokens, metadata, embedding_pending_since)
    select n.id, n.tenant_id, n.user_id, n.tier, n.kind, n.category, n.key, n.value, n.content, n.question,
      n.answer, n.tags, n.project, n.topic, n.importance, n.confidence, n.source, n.source_context,
      case when coalesce(n.conversation_id, '') = '' then 'global' else 'conversation' end,
      coalesce(n.conversation_id, ''), decode(n.content_hash, 'hex'), decode(n.subject_hash, 'hex'), n.stated_at,
      n.valid_from, n.valid_to, n.superseded_by, n.expires_at, now(), extraction, n.message_ids,
      n.channel, n.sender, n.event_date, n.source_tokens, n.metadata,
      case when n.wants_embedding then now() end
    from jsonb_to_recordset(given) as n (id uuid, tenant_id uuid, user_id text, tier smallint, kind text,
      category text, key text, value text, content text, question text, answer text, tags text[],
      project text, topic text, importance real, confidence smallint, source text, source_context text,
      conversation_id text, content_hash text, subject_hash text, stated_at timestamptz, valid_from timestamptz,
      valid_to timestamptz, superseded_by uuid, expires_at timestamptz, message_ids text[], channel text,
      sender text, event_date date, source_tokens integer, metadata jsonb, wants_embedding boolean)
    on conflict do nothing
    returning *
  ), versions as (
    insert into memory_versions (memory_id, number, tenant_id, user_id, operation, after, actor, extraction_id)
    select id, 1, tenant_id, user_id, 'ADD', to_jsonb(added) - 'search_text', changed_by, extraction from added
  )
  select coalesce(array_agg(id), '{}') into v_ids from added;
  return v_ids;
end $function$

CREATE OR REPLACE FUNCTION public.after_apply(extraction uuid, wanted jsonb, tenant uuid DEFAULT NULL::uuid)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
declare
  v_tenant constant uuid := coalesce(tenant, (select tenant_id from extractions where id = extraction));
  v_row extractions;
  v_policy jsonb;
  v_changed boolean;
  v_keep integer;
begin
  select * into v_row from extractions where id = extraction and tenant_id = v_tenant;
  select policy into v_policy from conversations
    where tenant_id = v_row.tenant_id and id = v_row.conversation_id;
  v_changed := v_row.added + v_row.updated + v_row.deleted > 0;
  v_keep := coalesce((v_policy->>'max_entries')::integer, (wanted->>'maxEntries')::integer, 0);
  if v_keep > 0 then
    perform lock_user_memories(v_row.tenant_id, v_row.user_id);
    perform archive_oldest_entries(
      v_row.tenant_id, v_row.user_id, v_row.conversation_id, v_keep, 'max_entries', extraction);
  end if;
  if v_changed and wanted->>'userSummary' is not null then
    perform ask_for_summary(v_row.tenant_id, v_row.user_id, '', wanted->>'userSummary');
  end if;
  if coalesce((v_policy->>'summaries')::boolean, (wanted->>'conversationSummary')::boolean) then
    perform ask_for_summary(v_row.tenant_id, v_row.user_id, v_row.conversation_id, 'model');
  end if;
end $function$

CREATE OR REPLACE FUNCTION public.analyze_table(given regclass)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
begin
  execute format('analyze %s', given);
end $function$

CREATE OR REPLACE FUNCTION public.append_audit(tenant uuid, entry jsonb)
 RETURNS bigint
 LANGUAGE plpgsql
AS $function$
declare
  v_chain audit_chains;
  v_record audit_records;
begin
  insert into audit_chains (tenant_id, secret)
    values (tenant, uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid()))
    on conflict (tenant_id) do nothing;
  select * into v_chain from audit_chains where tenant_id = tenant for update;
  v_record.tenant_id := tenant;
  v_record.number := v_chain.last_number + 1;
  v_record.at := clock_timestamp();
  v_record.actor := entry->>'actor';
  v_record.action := entry->>'action';
  v_record.target_kind := entry->>'target_kind';
  v_record.target_id := case when entry->>'target_kind' in ('user', 'conversation')
    then audit_pseudonym(tenant, entry->>'target_id') else entry->>'target_id' end;
  v_record.user_pseudonym := audit_pseudonym(tenant, entry->>'user_id');
  v_record.outcome := coalesce(entry->>'outcome', 'done');
  v_record.request_id := entry->>'request_id';
  v_record.reason := entry->>'reason';
  v_record.fields := array(select jsonb_array_elements_text(entry->'fields'));
  v_record.counts := coalesce(entry->'counts', '{}');
  v_record.prev_hash := v_chain.last_hash;
  v_record.hash := audit_hash(v_record);
  insert into audit_records select (v_record).*;
  update audit_chains set last_number = v_record.number, last_hash = v_record.hash where tenant_id = tenant;
  return v_record.number;
end $function$

CREATE OR REPLACE FUNCTION public.apply_new_memories(extraction uuid, claim_fence integer, given jsonb, changed_by text, embedding_model text, embedded_ids uuid[], vectors text[], outcome jsonb, near_distance double precision DEFAULT NULL::double precision, new_vectors halfvec[] DEFAULT NULL::halfvec[], tenant uuid DEFAULT NULL::uuid)
 RETURNS text
 LANGUAGE plpgsql
AS $function$
declare
  v_tenant constant uuid := coalesce(tenant, (select tenant_id from extractions where id = extraction));
  v_row extractions;
  v_vectors constant halfvec[] := coalesce(new_vectors, vectors::halfvec[]);
  v_keys text[];
  v_content_hashes bytea[];
  v_subject_hashes bytea[];
  -- All of them are kept for the same one.
  v_conversation text := coalesce(given->0->>'conversation_id', '');
begin
  select * into v_row from extractions
    where id = extraction and tenant_id = v_tenant and fence = claim_fence and state = 'active' for update;
  if not found then
    return 'fenced';
  end if;
  if jsonb_array_length(given) > 0 then
    perform lock_user_memories(v_row.tenant_id, v_row.user_id);
    select array_agg(m->>'key'), array_agg(decode(m->>'content_hash', 'hex')),
           array_agg(decode(m->>'subject_hash', 'hex'))
      into v_keys, v_content_hashes, v_subject_hashes from jsonb_array_elements(given) as m;
    if exists (select from matching_memory_ids(
        v_row.tenant_id, v_row.user_id, v_keys, v_content_hashes, v_subject_hashes, v_conversation)) then
      return 'known';
    end if;
    if near_distance is not null and cardinality(v_vectors) > 0 and exists (select from near_vectors(
        v_row.tenant_id, v_row.user_id, embedding_model, v_vectors, near_distance, 1, v_conversation)) then
      return 'known';
    end if;
    if cardinality(add_memories(given, changed_by, extraction)) < jsonb_array_length(given) then
      raise exception 'two of the memories are one' using errcode = 'serialization_failure';
    end if;
    insert into memory_embeddings (memory_id, model, tenant_id, user_id, content_hash, embedding)
    select e.memory_id, embedding_model, v_row.tenant_id, v_row.user_id, decode(m->>'content_hash', 'hex'),
           e.vector
      from unnest(embedded_ids, v_vectors) as e (memory_id, vector)
      join jsonb_array_elements(given) as m on (m->>'id')::uuid = e.memory_id;
  end if;
  perform finish_extraction(extraction, claim_fence, outcome, v_tenant);
  return 'applied';
end $function$

CREATE OR REPLACE FUNCTION public.apply_row_security()
 RETURNS boolean
 LANGUAGE plpgsql
AS $function$
declare
  v_roles constant text[] := array['factmill_app', 'factmill_system'];
  v_role text;
  v_table regclass;
  v_is_record boolean;
  v_function regprocedure;
begin
  foreach v_role in array v_roles loop
    -- The migrations of other databases of the server may do the same at the same time.
    begin
      if not exists (select from pg_roles where rolname = v_role) then
        execute format('create role %I nologin', v_role);
      end if;
    exception when duplicate_object or unique_violation or insufficient_privilege then
      null;
    end;
  end loop;

  for v_table in
    select c.oid from pg_class c
      join pg_attribute a on a.attrelid = c.oid and a.attname = 'tenant_id' and not a.attisdropped
      where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p') and not (c.relrowsecurity
        and exists (select from pg_policy p where p.polrelid = c.oid and p.polname = 'of_tenant'))
      order by c.relname
  loop
    execute format('alter table %s enable row level security', v_table);
    execute format('drop policy if exists of_tenant on %s', v_table);
    -- Sub-selects are computed once for a statement, not for every row. A setting that was reset reads as '', and
    -- without a tenant no row fits.
    execute format('create policy of_tenant on %s using (
        tenant_id = (select nullif(current_setting(''factmill.tenant_id'', true), '''')::uuid)
        or (select current_user = ''factmill_system''))', v_table);
  end loop;

  for v_role in select rolname from pg_roles where rolname = any(v_roles) loop
    -- The tables that record the schema are read only.
    for v_table, v_is_record in
      select c.oid, is_record from pg_class c cross join lateral (
          select c.relname in ('factmill_migrations', 'factmill_functions') as is_record) as kind
        where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p')
          and pg_has_role(c.relowner, 'usage')
          and not has_table_privilege(v_role, c.oid, case when is_record then 'select' else 'insert' end)
    loop
      execute format('grant %s on %s to %I',
        case when v_is_record then 'select' else 'select, insert, update, delete' end, v_table, v_role);
    end loop;
  end loop;

  -- Functions that run as the owner of the tables are for the services only.
  for v_function in
    select oid::regprocedure from pg_proc
      where pronamespace = current_schema()::regnamespace and prosecdef and pg_has_role(proowner, 'usage')
        and 'function ' || proname in (select name from factmill_functions)
  loop
    if exists (select from pg_proc cross join lateral aclexplode(coalesce(proacl, acldefault('f', proowner))) as a
        where oid = v_function and a.grantee = 0) then
      execute format('revoke execute on function %s from public', v_function);
    end if;
    for v_role in select rolname from pg_roles
      where rolname = any(v_roles) and not has_function_privilege(rolname, v_function, 'execute')
    loop
      execute format('grant execute on function %s to %I', v_function, v_role);
    end loop;
  end loop;

  return (select count(*) = 2 from pg_roles where rolname = any(v_roles));
end $function$

CREATE OR REPLACE FUNCTION public.archive_oldest_entries(tenant uuid, owner text, conversation text, keep integer, changed_by text, extraction uuid)
 RETURNS integer
 LANGUAGE plpgsql
AS $function$
declare
  v_memories uuid[];
  v_turn integer;
  v_count integer;
begin
  with entries as materialized (
    select m.id, null::integer as seq, m.stated_at as said_at from memories m
      where m.tenant_id = tenant and m.user_id = owner and m.is_current
        and (m.conversation_id = conversation
          or (select e.conversation_id from extractions e
            where e.id = m.extraction_id and e.tenant_id = tenant) = conversation)
    union all
    select null, t.seq, max(t.created_at) over (order by t.seq)
      from conversations c join messages t on t.tenant_id = c.tenant_id and t.conversation_id = c.id
      where c.tenant_id = tenant and c.id = conversation and t.seq > c.evicted_seq
        and t.role in ('user', 'assistant') and t.content is not null and not t.superseded
  ), beyond as (
    select id, seq from entries order by said_at desc, seq desc nulls first, id desc offset keep
  )
  select array_agg(id) filter (where id is not null), max(seq) into v_memories, v_turn from beyond;

  if v_turn is not null then
    update conversations
      set evicted_seq = greatest(evicted_seq, v_turn), indexed_seq = greatest(indexed_seq, v_turn)
      where tenant_id = tenant and id = conversation;
    delete from turn_parts p where p.tenant_id = tenant and p.conversation_id = conversation and p.seq <= v_turn;
  end if;

  with changed as (
    update memories m set archived_at = now(), updated_at = now(), embedding_pending_since = null
      where m.id = any(v_memories) and m.tenant_id = tenant and m.is_current returning m.*
  ), versions as (
    insert into memory_versions (memory_id, number, tenant_id, user_id, operation, before, after, actor, extraction_id)
    select changed.id,
           coalesce((select v.number from memory_versions v where v.memory_id = changed.id
             and v.tenant_id = changed.tenant_id order by v.number desc limit 1), 0) + 1,
           changed.tenant_id, changed.user_id, 'ARCHIVE', to_jsonb(before) - 'search_text',
           to_jsonb(changed) - 'search_text', changed_by, extraction
      from changed join memories before on before.id = changed.id and before.tenant_id = changed.tenant_id
  )
  select count(*) into v_count from changed;
  return v_count;
end $function$

CREATE OR REPLACE FUNCTION public.ask_for_summary(tenant uuid, owner text, conversation text, made_by text)
 RETURNS void
 LANGUAGE sql
BEGIN ATOMIC
 INSERT INTO summaries AS s (tenant_id, user_id, conversation_id, refreshed_by, stale_since, refresh_at)  SELECT ask_for_summary.tenant AS tenant,
             ask_for_summary.owner AS owner,
             ask_for_summary.conversation AS conversation,
             ask_for_summary.made_by AS made_by,
             now() AS now,
             (now() + '00:00:02'::interval)
           WHERE ((ask_for_summary.conversation <> ''::text) OR (NOT (EXISTS ( SELECT
                    FROM summaries known
                   WHERE ((known.tenant_id = ask_for_summary.tenant) AND (known.user_id = ask_for_summary.owner) AND (known.conversation_id = ''::text) AND (known.refreshed_by = ask_for_summary.made_by)))))) ON CONFLICT(tenant_id, user_id, conversation_id) DO UPDATE SET refreshed_by = ask_for_summary.made_by, stale_since = COALESCE(s.stale_since, now()), refresh_at = summary_due(s.*), change_no = (s.change_no + 1)
   WHERE ((ask_for_summary.conversation <> ''::text) OR (s.refreshed_by IS DISTINCT FROM ask_for_summary.made_by));
END

CREATE OR REPLACE FUNCTION public.audit_hash(r audit_records)
 RETURNS bytea
 LANGUAGE sql
 STABLE
RETURN sha256(((r).prev_hash || convert_to((jsonb_build_array((r).tenant_id, (r).number, to_char(((r).at AT TIME ZONE 'UTC'::text), 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'::text), (r).actor, (r).action, (r).target_kind, (r).target_id, (r).user_pseudonym, (r).outcome, (r).request_id, (r).reason, (r).fields, (r).counts))::text, 'UTF8'::name)))

CREATE OR REPLACE FUNCTION public.audit_pseudonym(tenant uuid, name text)
 RETURNS text
 LANGUAGE sql
 STABLE
RETURN (SELECT encode(hmac_sha256(c.secret, convert_to(audit_pseudonym.name, 'UTF8'::name)), 'hex'::text) AS encode FROM audit_chains c WHERE (c.tenant_id = audit_pseudonym.tenant))

CREATE OR REPLACE FUNCTION public.begin_embedding_build(model_id text, revived boolean)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
begin
  perform pg_advisory_xact_lock(hashtext('factmill.embedding_models'));
  update embedding_models set state = 'building' where id = model_id and state = 'retired' and revived;
  if exists (select from embedding_models where id = model_id and state = 'building') then
    insert into embedding_builds (model) values (model_id) on conflict do nothing;
  end if;
end $function$

CREATE OR REPLACE FUNCTION public.budget_exhausted(tenant uuid)
 RETURNS TABLE(until timestamp with time zone, reason text)
 LANGUAGE sql
 STABLE
BEGIN ATOMIC
 SELECT s.resets_at,
     ((('budget_'::text || s.unit) || '_'::text) || s.period)
    FROM budget_state(budget_exhausted.tenant) s(period, unit, amount, spent, resets_at)
   WHERE (s.spent >= s.amount)
   ORDER BY s.resets_at DESC
  LIMIT 1;
END

CREATE OR REPLACE FUNCTION public.budget_state(tenant uuid)
 RETURNS TABLE(period text, unit text, amount numeric, spent numeric, resets_at timestamp with time zone)
 LANGUAGE sql
 STABLE
BEGIN ATOMIC
 SELECT b.period,
     b.unit,
     b.amount,
     COALESCE(( SELECT sum(
                 CASE b.unit
                     WHEN 'tokens'::text THEN (s.tokens)::numeric
                     ELSE s.cost
                 END) AS sum
            FROM spending s
           WHERE ((s.tenant_id = budget_state.tenant) AND (s.day >= (began.at)::date))), (0)::numeric) AS "coalesce",
     ((began.at + (('1 '::text || b.period))::interval) AT TIME ZONE 'utc'::text) AS timezone
    FROM (budgets b
      CROSS JOIN LATERAL ( SELECT date_trunc(b.period, (now() AT TIME ZONE 'utc'::text)) AS at) began)
   WHERE (b.tenant_id = budget_state.tenant);
END

CREATE OR REPLACE FUNCTION public.claim_extraction(tenant uuid, extraction uuid, worker text, lease_ms integer, known_limit integer, model_provider text, probe_interval_ms integer)
 RETURNS json
 LANGUAGE plpgsql
AS $function$
declare
  v_row extractions;
  v_pinned json;
  v_permit jsonb;
  v_from integer;
  v_until timestamptz;
  v_reason text;
begin
  loop
    begin
      update extractions e
        set state = 'active', fence = fence + 1, lost_claims = lost_claims + (state = 'active')::integer,
            started_at = coalesce(started_at, now()), claimed_at = now(), claimed_by = worker,
            deferred_until = null, reason = null,
            lease_until = now() + lease_ms * interval '1 millisecond'
        where id = extraction and tenant_id = tenant
          and (state = 'pending' or (state = 'active' and (lease_until <= now() or claimed_by = worker)))
          and not exists (
            select from extractions o
              where o.tenant_id = e.tenant_id and o.conversation_id = e.conversation_id
                and o.state in ('pending', 'active') and o.accepted_no < e.accepted_no)
        returning * into v_row;
      if found then
        -- A statement of its own: an answer that the last holder pinned while the claim waited for the row is seen.
        select json_build_object('provider', provider, 'model', model, 'promptVersion', prompt_version, 'raw', raw,
                 'finishReason', finish_reason, 'promptTokens', prompt_tokens, 'completionTokens', completion_tokens)
          into v_pinned from extraction_outputs where extraction_id = extraction and tenant_id = tenant and status = 'pinned';
        if v_pinned is null and model_provider is not null then
          if exists (select from budgets where tenant_id = tenant) and exists (select from budget_exhausted(tenant)) then
            raise exception 'the budget is used up' using errcode = 'FM002';
          end if;
          v_permit := enter_provider(model_provider, probe_interval_ms, extraction);
          if v_permit ? 'wait_ms' then
            raise exception 'the breaker is open' using errcode = 'FM001';
          end if;
        end if;
        exit;
      end if;
    exception
      when unique_violation then
        -- A younger one is in work: this one was replayed.
      when sqlstate 'FM001' then
        -- The claim is undone.
        return json_build_object('retry_in_ms', (v_permit->>'wait_ms')::integer,
          'kind', case when (v_permit->>'last_probe')::boolean then 'last_probe' else 'breaker_open' end);
      when sqlstate 'FM002' then
        -- The claim is undone. Under the lock that a change of the budgets takes, so that a raise that comes just now
        -- is either seen here, or sees this one.
        perform from tenants where id = tenant for share;
        select b.until, b.reason into v_until, v_reason from budget_exhausted(tenant) b;
        continue when v_until is null;
        update extractions
          set state = 'pending', lease_until = null, claimed_by = null, queue_checked_at = null,
              deferred_until = v_until, next_attempt_at = v_until, reason = v_reason
          where id = extraction and tenant_id = tenant
            and (state = 'pending' or (state = 'active' and (lease_until <= now() or claimed_by = worker)));
        return json_build_object('kind', 'deferred');
    end;
    select * into v_row from extractions where id = extraction and tenant_id = tenant;
    if not found then
      return null;
    elsif v_row.state not in ('pending', 'active') then
      return json_build_object('kind', 'finished', 'state', v_row.state,
        'next', (select id from next_extraction(tenant, v_row.conversation_id)));
    elsif v_row.state = 'active' and v_row.lease_until > now() and v_row.claimed_by is distinct from worker then
      return json_build_object('kind', 'leased',
        'retry_in_ms', (extract(epoch from v_row.lease_until - now()) * 1000)::integer);
    end if;
    perform from extractions o
      where o.tenant_id = tenant and o.conversation_id = v_row.conversation_id and o.id <> extraction
        and ((o.state in ('pending', 'active') and o.accepted_no < v_row.accepted_no) or o.state = 'active')
      order by o.accepted_no limit 1 for share;
    if found then
      return json_build_object('kind', 'blocked');
    end if;
  end loop;

  -- A regenerated reply says little without what it replies to, which is in the range of an earlier extraction.
  v_from := v_row.from_seq;
  if v_row.replaces_from_seq is not null then
    select coalesce(max(seq), v_from) into v_from from messages
      where tenant_id = tenant and conversation_id = v_row.conversation_id and role = 'user'
        and seq < v_row.replaces_from_seq;
  end if;

  return json_build_object(
    'claim', json_build_object('id', v_row.id, 'tenantId', v_row.tenant_id, 'userId', v_row.user_id,
      'conversationId', v_row.conversation_id, 'fromSeq', v_row.from_seq, 'toSeq', v_row.to_seq,
      'preset', v_row.preset, 'attempts', v_row.attempts, 'fence', v_row.fence,
      'lostClaims', v_row.lost_claims, 'traceparent', v_row.traceparent,
      'isProbe', coalesce((v_permit->>'probe')::boolean, false)),
    'pinned', v_pinned,
    'messages', (
      select coalesce(json_agg(json_build_object('id', id, 'seq', seq, 'role', role, 'content', coalesce(content, ''),
               'name', name, 'toolCalls', tool_calls, 'toolCallId', tool_call_id, 'channel', channel, 'sender', sender,
               'createdAt', created_at)
               order by seq), '[]')
        from messages where tenant_id = tenant and conversation_id = v_row.conversation_id
          and seq between v_from and v_row.to_seq and not superseded and removed_at is null),
    'known', case when v_pinned is null and known_limit > 0 then (
      select coalesce(json_agg(json_build_object('id', id, 'kind', kind, 'category', category, 'key', key,
               'value', value, 'content', content, 'question', question, 'statedAt', stated_at)
               order by stated_at desc, id desc), '[]')
        from (select * from memories where tenant_id = tenant and user_id = v_row.user_id and is_current
                and (expires_at is null or expires_at > now())
                and conversation_id in ('', v_row.conversation_id)
                -- What is about to be replaced is not known: the model is to say it again if it still holds.
                and (v_row.replaces_from_seq is null
                     or not rests_on_replaced(message_ids, tenant, v_row.conversation_id))
              order by stated_at desc, id desc limit known_limit) as recent) else '[]' end,
    'hasDocuments', exists (select from documents where tenant_id = tenant and user_id = v_row.user_id));
end $function$

CREATE OR REPLACE FUNCTION public.conclude_extraction(extraction uuid, tenant uuid DEFAULT NULL::uuid)
 RETURNS uuid
 LANGUAGE plpgsql
AS $function$
declare
  v_tenant constant uuid := coalesce(tenant, (select tenant_id from extractions where id = extraction));
  v_row extractions;
  v_next extractions;
  v_retired integer := 0;
begin
  select * into v_row from extractions where id = extraction and tenant_id = v_tenant;
  if v_row.state = 'done' then
    if v_row.replaces_from_seq is not null then
      v_retired := retire_replaced(v_row);
    end if;
    v_retired := v_retired + retire_own_words(v_row);
    if v_retired > 0 then
      update extractions set deleted = deleted + v_retired where id = extraction and tenant_id = v_tenant;
    end if;
  end if;
  perform note_extraction_events(array[extraction], array[v_tenant]);
  select * into v_next from next_extraction(v_row.tenant_id, v_row.conversation_id);
  return case when v_next.state = 'pending' and coalesce(v_next.next_attempt_at <= clock_timestamp(), true)
    then v_next.id end;
end $function$

CREATE OR REPLACE FUNCTION public.conflicting_messages(r jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
AS $function$
declare
  v_tenant uuid := (r->>'tenant_id')::uuid;
  v_user text;
begin
  if not coalesce((r->>'has_caller_ids')::boolean, false) then
    return null;
  end if;
  select user_id into v_user from conversations
    where tenant_id = v_tenant and id = r->>'conversation_id' for no key update;
  if not found or v_user <> coalesce(r->>'user_id', v_user) or exists (
      select from idempotency_keys where tenant_id = v_tenant and key = r->>'idempotency_key') then
    return null;
  end if;
  return (
    select jsonb_agg(known.id order by m.place)
      from jsonb_array_elements(r->'messages') with ordinality as m (body, place)
      join messages known on known.tenant_id = v_tenant and known.conversation_id = r->>'conversation_id'
        and known.id = m.body->>'id'
      -- Of what retention has emptied only the id is known.
      where known.removed_at is null and row(known.role, known.content, known.name, known.tool_calls, known.tool_call_id,
            known.channel, known.sender) is distinct from
        row(m.body->>'role', m.body->>'content', m.body->>'name', nullif(m.body->'tool_calls', 'null'),
            m.body->>'tool_call_id', m.body->>'channel', m.body->>'sender'));
end $function$

CREATE OR REPLACE FUNCTION public.conversation_due(tenant uuid, conversation text, after_seq integer, trigger jsonb, schedule jsonb, last_at timestamp with time zone, OUT due_at timestamp with time zone, OUT due_for text)
 RETURNS record
 LANGUAGE sql
 STABLE
BEGIN ATOMIC
 SELECT due.due_at,
     due.due_for
    FROM ( SELECT count(*) FILTER (WHERE (messages.role = 'user'::text)) AS turns,
             COALESCE(sum(messages.token_estimate), (0)::bigint) AS tokens,
             COALESCE((max(messages.seq) FILTER (WHERE ((messages.role = 'assistant'::text) AND (messages.content <> ''::text))) > max(messages.seq) FILTER (WHERE (messages.role = 'user'::text))), false) AS has_reply
            FROM messages
           WHERE ((messages.tenant_id = conversation_due.tenant) AND (messages.conversation_id = conversation_due.conversation) AND (messages.seq > conversation_due.after_seq) AND (NOT messages.superseded))) gathered,
     LATERAL extraction_due(conversation_due.trigger, conversation_due.schedule, gathered.turns, gathered.tokens, gathered.has_reply, conversation_due.last_at) due(due_at, due_for);
END

CREATE OR REPLACE FUNCTION public.count_spending()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  perform pg_advisory_xact_lock(hashtextextended('factmill.budgets ' || tenant_id::text, 0))
    from (select distinct tenant_id from added order by tenant_id) as tenants;
  insert into public.spending (tenant_id, day, tokens, cost)
    select tenant_id, day, sum(input_tokens + output_tokens), coalesce(sum(cost), 0) from public.usage
      where tenant_id in (select tenant_id from added) and purpose <> 'chat'
        and day >= date_trunc('month', now() at time zone 'utc')::date
      group by tenant_id, day
    on conflict (tenant_id, day) do update set tokens = excluded.tokens, cost = excluded.cost;
  return null;
end $function$

CREATE OR REPLACE FUNCTION public.create_embedding_model(model text, model_dimensions integer)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
begin
  perform pg_advisory_xact_lock(hashtext('factmill.embedding_models'));
  insert into embedding_models (id, dimensions, state, activated_at)
    select model, model_dimensions, case when a.is_first then 'active' else 'building' end,
           case when a.is_first then now() end
      from (select not exists (select from embedding_models where state = 'active') as is_first) as a
    on conflict do nothing;
end $function$

CREATE OR REPLACE FUNCTION public.drop_embeddings(model_id text, most integer)
 RETURNS integer
 LANGUAGE plpgsql
AS $function$
declare
  v_dropped integer;
  v_of_chunks integer;
  v_of_turns integer;
begin
  perform pg_advisory_xact_lock(hashtext('factmill.embedding_models'));
  if exists (select from embedding_models where id = model_id and state = 'active') then
    return 0;
  end if;
  delete from embedding_builds where model = model_id;
  update embedding_models set state = 'retired' where id = model_id;
  delete from memory_embeddings e where e.model = model_id and e.memory_id in (
    select memory_id from memory_embeddings where model = model_id limit most);
  get diagnostics v_dropped = row_count;
  delete from document_chunk_embeddings e where e.model = model_id and e.chunk_id in (
    select chunk_id from document_chunk_embeddings where model = model_id limit most);
  get diagnostics v_of_chunks = row_count;
  delete from turn_part_embeddings e where e.model = model_id and e.part_id in (
    select part_id from turn_part_embeddings where model = model_id limit most);
  get diagnostics v_of_turns = row_count;
  if v_dropped + v_of_chunks + v_of_turns = 0 then
    delete from embedding_refusals where model = model_id;
  end if;
  return v_dropped + v_of_chunks + v_of_turns;
end $function$

CREATE OR REPLACE FUNCTION public.drop_oldest(tenants_touched uuid[], queue_limit integer, tenant_queue_limit integer)
 RETURNS jsonb
 LANGUAGE plpgsql
AS $function$
declare
  v_dropped jsonb := '[]';
  v_more jsonb;
  v_excess bigint;
  v_tenant uuid;
  v_ids uuid[];
begin
  if tenant_queue_limit > 0 then
    foreach v_tenant in array tenants_touched loop
      with gone as (
        update extractions set state = 'dropped', reason = 'tenant_queue_limit', finished_at = clock_timestamp()
          where tenant_id = v_tenant and id = any(array(
              select e.id from extractions e
                where e.tenant_id = v_tenant and e.state = 'pending' and e.started_at is null
                order by e.accepted_no desc offset tenant_queue_limit))
            and state = 'pending' and started_at is null
          returning id, tenant_id, generation, accepted_no
      )
      select coalesce(jsonb_agg(jsonb_build_object('id', id, 'tenant_id', tenant_id,
               'generation', generation) order by accepted_no), '[]') into v_more from gone;
      v_dropped := v_dropped || v_more;
    end loop;
  end if;

  if queue_limit > 0 then
    select count(*) - queue_limit into v_excess
      from extractions where state = 'pending' and started_at is null;
    if v_excess > 0 then
      -- Level the largest backlogs: the row that is n-th newest of its tenant goes before any that is
      -- (n - 1)-th newest; among equals the oldest goes first.
      for v_tenant, v_ids in
        with ranked as (
          select id, tenant_id, accepted_no, row_number() over (partition by tenant_id order by accepted_no desc) as depth
            from extractions where state = 'pending' and started_at is null
        ), over as (
          select id, tenant_id from ranked order by depth desc, accepted_no limit v_excess
        )
        select tenant_id, array_agg(id) from over group by tenant_id order by tenant_id
      loop
        with gone as (
          update extractions set state = 'dropped', reason = 'queue_limit', finished_at = clock_timestamp()
            where tenant_id = v_tenant and id = any(v_ids) and state = 'pending' and started_at is null
            returning id, tenant_id, generation, accepted_no
        )
        select coalesce(jsonb_agg(jsonb_build_object('id', id, 'tenant_id', tenant_id,
                 'generation', generation) order by accepted_no), '[]') into v_more from gone;
        v_dropped := v_dropped || v_more;
      end loop;
    end if;
  end if;
  for v_tenant, v_ids in
    select (value->>'tenant_id')::uuid, array_agg((value->>'id')::uuid order by ordinality)
      from jsonb_array_elements(v_dropped) with ordinality group by 1 order by 1
  loop
    perform note_extraction_events(v_ids, array_fill(v_tenant, array[cardinality(v_ids)]));
  end loop;
  return v_dropped;
end $function$

CREATE OR REPLACE FUNCTION public.enter_provider(called text, probe_interval_ms integer, caller uuid)
 RETURNS jsonb
 LANGUAGE plpgsql
AS $function$
declare
  v_breaker provider_breakers;
  v_interval constant interval := probe_interval_ms * interval '1 millisecond';
begin
  loop
    select * into v_breaker from provider_breakers where provider = called and opened_at is not null;
    if not found then
      return null;
    elsif v_breaker.next_probe_at > clock_timestamp() then
      return jsonb_build_object('last_probe', false,
        'wait_ms', greatest(ceil(extract(epoch from v_breaker.next_probe_at - clock_timestamp()) * 1000), 1)::integer);
    elsif v_breaker.probed_by = caller and clock_timestamp() < v_breaker.next_probe_at + v_interval / 2 and exists (
        select from extractions
          where state = 'pending' and id <> caller and coalesce(next_attempt_at <= clock_timestamp(), true)) then
      return jsonb_build_object('last_probe', true, 'wait_ms', greatest(probe_interval_ms / 10, 1));
    end if;
    -- Of several at once the first gets it: the others find it moved, and look again.
    update provider_breakers set next_probe_at = clock_timestamp() + v_interval, probed_by = caller
      where provider = called and opened_at is not null and next_probe_at <= clock_timestamp();
    if found then
      return '{"probe": true}';
    end if;
  end loop;
end $function$

CREATE OR REPLACE FUNCTION public.event_horizon()
 RETURNS bigint
 LANGUAGE sql
 STABLE
RETURN ((COALESCE((SELECT event_clock.history FROM event_clock), (0)::bigint) << 44) + ((pg_snapshot_xmin(pg_current_snapshot()))::text)::bigint)

CREATE OR REPLACE FUNCTION public.event_watermark()
 RETURNS bigint
 LANGUAGE sql
RETURN ((COALESCE((SELECT event_clock.history FROM event_clock), (0)::bigint) << 44) + GREATEST(((pg_current_xact_id())::text)::bigint, (((pg_snapshot_xmax(pg_current_snapshot()))::text)::bigint - 1)))

CREATE OR REPLACE FUNCTION public.extraction_due(trigger jsonb, schedule jsonb, user_turns bigint, tokens bigint, has_reply boolean, last_at timestamp with time zone, OUT due_at timestamp with time zone, OUT due_for text)
 RETURNS record
 LANGUAGE plpgsql
 STABLE
AS $function$
declare
  v_gap integer := coalesce((trigger->>'quiet_gap_s')::integer, 0);
  v_idle integer := coalesce((trigger->>'idle_timeout_s')::integer, 0);
  v_max integer := coalesce((trigger->>'max_turns')::integer, 0);
  v_cap integer := coalesce((trigger->>'token_cap')::integer, 0);
  v_enough boolean := user_turns >= coalesce((trigger->>'min_turns')::integer, 0);
  v_at timestamptz;
begin
  if user_turns = 0 then
    return;
  end if;
  if ((v_max > 0 and user_turns >= v_max) or (v_cap > 0 and tokens >= v_cap) or (v_enough and v_gap = 0))
     and (has_reply or coalesce(trigger->>'scope', '') <> 'ephemeral'
          or not coalesce((trigger->>'reads_replies')::boolean, false)) then
    due_at := last_at;
    due_for := 'messages';
    return;
  end if;
  due_at := 'infinity';
  if v_enough and v_gap > 0 then
    due_at := last_at + v_gap * interval '1 second';
    due_for := 'quiet_gap';
  end if;
  if v_idle > 0 and last_at + v_idle * interval '1 second' < due_at then
    due_at := last_at + v_idle * interval '1 second';
    due_for := 'idle_timeout';
  end if;
  if coalesce((trigger->>'daily_flush')::boolean, false) then
    v_at := next_daily_flush(schedule, last_at);
    if v_at < due_at then
      due_at := v_at;
      due_for := 'daily_flush';
    end if;
  end if;
end $function$

CREATE OR REPLACE FUNCTION public.fail_extraction(extraction uuid, claim_fence integer, class text, message text, tenant uuid DEFAULT NULL::uuid)
 RETURNS uuid
 LANGUAGE plpgsql
AS $function$
declare
  v_tenant constant uuid := coalesce(tenant, (select tenant_id from extractions where id = extraction));
begin
  update extractions
    set state = 'failed', attempts = attempts + 1, lease_until = null, next_attempt_at = null,
        finished_at = now(), error_class = class, error_message = message
    where id = extraction and tenant_id = v_tenant and fence = claim_fence and state = 'active';
  return case when found then conclude_extraction(extraction, v_tenant) end;
end $function$

CREATE OR REPLACE FUNCTION public.finish_extraction(extraction uuid, claim_fence integer, outcome jsonb, tenant uuid DEFAULT NULL::uuid)
 RETURNS boolean
 LANGUAGE plpgsql
AS $function$
declare
  v_tenant constant uuid := coalesce(tenant, (select tenant_id from extractions where id = extraction));
  v_row extractions;
  v_answer constant jsonb := outcome->'answer';
begin
  update extractions
    set state = 'done', attempts = attempts + 1, lease_until = null, next_attempt_at = null,
        finished_at = clock_timestamp(), error_class = null, error_message = null,
        added = (outcome->>'added')::integer, updated = (outcome->>'updated')::integer,
        deleted = (outcome->>'deleted')::integer, unchanged = (outcome->>'unchanged')::integer,
        rejected = (outcome->>'rejected')::integer, rejections = coalesce(outcome->'rejections', rejections),
        memory_ids = array(select jsonb_array_elements_text(outcome->'memoryIds')::uuid),
        model = coalesce(v_answer->>'model', model), model_calls = model_calls + (v_answer is not null)::integer,
        model_ms = coalesce(model_ms + (v_answer->>'modelMs')::integer, model_ms, (v_answer->>'modelMs')::integer),
        degraded = outcome->>'degraded', embed_ms = (outcome->>'embedMs')::integer,
        apply_ms = (extract(epoch from clock_timestamp() - now()) * 1000)::integer
    where id = extraction and tenant_id = v_tenant and fence = claim_fence and state = 'active'
    returning * into v_row;
  if not found then
    return false;
  end if;
  if v_answer is not null then
    insert into extraction_outputs (extraction_id, number, tenant_id, status, provider, model, prompt_version, raw,
        finish_reason, purpose)
      select extraction, coalesce(max(number), 0) + 1, v_row.tenant_id, 'pinned', v_answer->>'provider',
             v_answer->>'model', v_answer->>'promptVersion', v_answer->>'raw', v_answer->>'finishReason', 'extract'
        from extraction_outputs where extraction_id = extraction and tenant_id = v_tenant;
  end if;
  update conversations set extracted_at = now(), extracted_seq = greatest(extracted_seq, v_row.to_seq)
    where tenant_id = v_row.tenant_id and id = v_row.conversation_id;
  return true;
end $function$

CREATE OR REPLACE FUNCTION public.frequency_of_keys(tenant uuid, keys bigint[], most integer)
 RETURNS bigint
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET enable_seqscan TO 'off'
BEGIN ATOMIC
 SELECT (( SELECT count(*) AS count
            FROM ( SELECT
                    FROM memories
                   WHERE (memories.is_current AND (search_keys(memories.tenant_id, memories.user_id, memories.search_terms) @> frequency_of_keys.keys) AND (NOT (memories.tenant_id IS DISTINCT FROM ( SELECT frequency_of_keys.tenant AS tenant
                           WHERE serves_tenant(frequency_of_keys.tenant)))))
                  LIMIT frequency_of_keys.most) of_memories) + ( SELECT count(*) AS count
            FROM turn_parts_with_keys(frequency_of_keys.tenant, frequency_of_keys.keys, frequency_of_keys.most) turn_parts_with_keys(turn_parts_with_keys)));
END

CREATE OR REPLACE FUNCTION public.hmac_sha256(secret bytea, message bytea)
 RETURNS bytea
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN (SELECT sha256((string_agg(set_byte('\x00'::bytea, 0, (get_byte(padded.block, place.place) # 92)), '\x'::bytea ORDER BY place.place) || sha256((string_agg(set_byte('\x00'::bytea, 0, (get_byte(padded.block, place.place) # 54)), '\x'::bytea ORDER BY place.place) || hmac_sha256.message)))) AS sha256 FROM (SELECT (hmac_sha256.secret || decode(repeat('00'::text, (64 - length(hmac_sha256.secret))), 'hex'::text)) AS block) padded, generate_series(0, 63) place(place))

CREATE OR REPLACE FUNCTION public.is_held(tenant uuid, owner text)
 RETURNS boolean
 LANGUAGE sql
 STABLE
RETURN (EXISTS (SELECT FROM legal_holds h WHERE ((h.tenant_id = is_held.tenant) AND (h.user_id = ANY (ARRAY[''::text, is_held.owner])))))

CREATE OR REPLACE FUNCTION public.keep_audit_records()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if tg_op = 'DELETE' and exists (
      select from audit_chains where tenant_id = old.tenant_id and cut_number >= old.number) then
    return old;
  end if;
  raise exception 'audit records are neither changed nor removed' using errcode = '55000';
end $function$

CREATE OR REPLACE FUNCTION public.leave_out_search_terms()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  new.before := new.before - '{search_terms,written}'::text[];
  new.after := new.after - '{search_terms,written}'::text[];
  return new;
end $function$

CREATE OR REPLACE FUNCTION public.lock_user_documents(tenant uuid, owner text)
 RETURNS void
 LANGUAGE sql
BEGIN ATOMIC
 SELECT pg_advisory_xact_lock(hashtextextended(((('factmill.documents '::text || (tenant)::text) || ' '::text) || owner), (0)::bigint)) AS pg_advisory_xact_lock;
END

CREATE OR REPLACE FUNCTION public.lock_user_memories(tenant uuid, owner text)
 RETURNS void
 LANGUAGE sql
BEGIN ATOMIC
 SELECT pg_advisory_xact_lock(hashtextextended(((('factmill.memories '::text || (tenant)::text) || ' '::text) || owner), (0)::bigint)) AS pg_advisory_xact_lock;
END

CREATE OR REPLACE FUNCTION public.make_stale_due(tenants uuid[], users text[], stale_after_s integer)
 RETURNS void
 LANGUAGE plpgsql
 SET enable_seqscan TO 'off'
AS $function$
declare
  v_tenant uuid;
  v_users text[];
begin
  for v_tenant, v_users in
    select tenant, array_agg(distinct owner) from unnest(tenants, users) as u (tenant, owner) group by tenant
      order by tenant
  loop
    update conversations c set extraction_due_at = now(), extraction_due_for = 'stale_conversation'
      from unnest(v_users) as u (owner)
      cross join lateral (
        select w.id from conversations w
          where w.tenant_id = v_tenant and w.user_id = u.owner and w.extraction_due_at is not null
            and w.extraction_due_at > now() and w.last_active_at < now() - stale_after_s * interval '1 second'
          order by w.last_active_at limit 1000 for update skip locked) as stale
      where c.tenant_id = v_tenant and c.id = stale.id;
  end loop;
end $function$

CREATE OR REPLACE FUNCTION public.mark_narratives_stale()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
declare
  v_tenant uuid;
  v_users text[];
begin
  for v_tenant, v_users in select tenant_id, array_agg(distinct user_id) from added group by tenant_id order by 1 loop
    update summaries s
      set stale_since = coalesce(s.stale_since, now()), refresh_at = summary_due(s), change_no = s.change_no + 1
      where s.tenant_id = v_tenant and s.user_id = any(v_users) and s.conversation_id = ''
        and s.refreshed_by is not null;
  end loop;
  return null;
end $function$

CREATE OR REPLACE FUNCTION public.matching_memory_ids(tenant uuid, owner text, keys text[], content_hashes bytea[], subject_hashes bytea[], conversation text DEFAULT ''::text)
 RETURNS SETOF uuid
 LANGUAGE sql
 STABLE
BEGIN ATOMIC
 SELECT memories.id
    FROM memories
   WHERE ((memories.tenant_id = matching_memory_ids.tenant) AND (memories.user_id = matching_memory_ids.owner) AND (memories.scope =
         CASE
             WHEN (matching_memory_ids.conversation = ''::text) THEN 'global'::text
             ELSE 'conversation'::text
         END) AND (memories.conversation_id = matching_memory_ids.conversation) AND (memories.key = ANY (matching_memory_ids.keys)) AND memories.is_current)
 UNION
  SELECT memories.id
    FROM memories
   WHERE ((memories.tenant_id = matching_memory_ids.tenant) AND (memories.user_id = matching_memory_ids.owner) AND (memories.scope =
         CASE
             WHEN (matching_memory_ids.conversation = ''::text) THEN 'global'::text
             ELSE 'conversation'::text
         END) AND (memories.conversation_id = matching_memory_ids.conversation) AND (memories.subject_hash = ANY (matching_memory_ids.subject_hashes)) AND memories.is_current)
 UNION
  SELECT memories.id
    FROM memories
   WHERE ((memories.tenant_id = matching_memory_ids.tenant) AND (memories.user_id = matching_memory_ids.owner) AND (memories.conversation_id = matching_memory_ids.conversation) AND (memories.content_hash = ANY (matching_memory_ids.content_hashes)) AND (memories.deleted_at IS NULL));
END

CREATE OR REPLACE FUNCTION public.memories_as_of(tenant uuid, owner text, valid_at timestamp with time zone, known_at timestamp with time zone)
 RETURNS SETOF memories
 LANGUAGE sql
 STABLE
BEGIN ATOMIC
 SELECT m.*::memories AS m
    FROM ((( SELECT DISTINCT ON (v.memory_id) v.after
            FROM memory_versions v
           WHERE ((v.tenant_id = memories_as_of.tenant) AND ((memories_as_of.owner IS NULL) OR (v.user_id = memories_as_of.owner)) AND (v.created_at <= memories_as_of.known_at))
           ORDER BY v.memory_id, v.number DESC) known
      CROSS JOIN LATERAL ( SELECT (((((((known.after ->> 'content'::text) || '
'::text) || COALESCE((known.after ->> 'key'::text), ''::text)) || '
'::text) || COALESCE((known.after ->> 'value'::text), ''::text)) || '
'::text) || (known.after ->> 'category'::text)) AS searched) texts)
      CROSS JOIN LATERAL jsonb_populate_record(NULL::memories, (known.after || jsonb_build_object('search_text', lower(texts.searched), 'search_terms', (search_words(texts.searched))::text))) m(id, tenant_id, user_id, tier, kind, category, key, value, content, question, answer, tags, project, topic, importance, confidence, source, source_context, scope, conversation_id, content_hash, subject_hash, stated_at, valid_from, valid_to, expires_at, last_verified_at, last_accessed_at, access_count, archived_at, deleted_at, superseded_by, is_current, search_text, extraction_id, message_ids, metadata, embedding_pending_since, created_at, updated_at, compressed_at, search_terms, written, channel, sender, event_date, source_tokens))
   WHERE ((m.deleted_at IS NULL) AND (m.archived_at IS NULL) AND (m.valid_from <= memories_as_of.valid_at) AND ((m.valid_to IS NULL) OR (m.valid_to > memories_as_of.valid_at)) AND ((m.expires_at IS NULL) OR (m.expires_at > memories_as_of.valid_at)));
END

CREATE OR REPLACE FUNCTION public.memories_like(tenant uuid, owner text, patterns text[])
 RETURNS SETOF uuid
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER ROWS 100
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
begin
  if public.serves_tenant(tenant) is not true then
    return;
  end if;
  -- Planned for each call, because the best plan depends on how common the patterns are.
  return query execute 'select id from public.memories
      where tenant_id = $1 and ($2 is null or user_id = $2) and is_current and search_text like any ($3)'
    using tenant, owner, patterns;
end $function$

CREATE OR REPLACE FUNCTION public.memories_with_keys(tenant uuid, keys bigint[])
 RETURNS SETOF uuid
 LANGUAGE sql
 STABLE SECURITY DEFINER ROWS 100
 SET enable_seqscan TO 'off'
BEGIN ATOMIC
 SELECT memories.id
    FROM memories
   WHERE (memories.is_current AND (search_keys(memories.tenant_id, memories.user_id, memories.search_terms) && memories_with_keys.keys) AND (NOT (memories.tenant_id IS DISTINCT FROM ( SELECT memories_with_keys.tenant AS tenant
           WHERE serves_tenant(memories_with_keys.tenant)))));
END

CREATE OR REPLACE FUNCTION public.near_memories(tenant uuid, owner text, embedding_model text, vectors text[], max_distance double precision, most integer)
 RETURNS TABLE(candidate integer, memory_id uuid, distance double precision)
 LANGUAGE sql
 STABLE
BEGIN ATOMIC
 SELECT near.candidate,
     near.memory_id,
     near.distance
    FROM near_vectors(near_memories.tenant, near_memories.owner, near_memories.embedding_model, (near_memories.vectors)::halfvec[], near_memories.max_distance, near_memories.most) near(candidate, memory_id, distance);
END

CREATE OR REPLACE FUNCTION public.near_vectors(tenant uuid, owner text, embedding_model text, vectors halfvec[], max_distance double precision, most integer, conversation text DEFAULT ''::text)
 RETURNS TABLE(candidate integer, memory_id uuid, distance double precision)
 LANGUAGE sql
 STABLE
BEGIN ATOMIC
 SELECT (given.place)::integer AS place,
     near.memory_id,
     near.distance
    FROM (unnest(near_vectors.vectors) WITH ORDINALITY given(vector, place)
      CROSS JOIN LATERAL ( SELECT close.memory_id,
             close.distance
            FROM ( SELECT e.memory_id,
                     ((e.embedding <=> given.vector) + (0)::double precision) AS distance
                    FROM memory_embeddings e
                   WHERE ((e.tenant_id = near_vectors.tenant) AND (e.user_id = near_vectors.owner) AND (e.model = near_vectors.embedding_model) AND (((e.embedding <=> given.vector) + (0)::double precision) <= near_vectors.max_distance))
                  OFFSET 0) close
           WHERE (EXISTS ( SELECT
                    FROM ( SELECT memories.is_current,
                             memories.conversation_id,
                             memories.expires_at
                            FROM memories
                           WHERE ((memories.id = close.memory_id) AND (memories.tenant_id = near_vectors.tenant))
                          OFFSET 0) m
                   WHERE (m.is_current AND (m.conversation_id = near_vectors.conversation) AND ((m.expires_at IS NULL) OR (m.expires_at > now())))))
           ORDER BY close.distance, close.memory_id
          LIMIT near_vectors.most) near)
   WHERE (given.vector IS NOT NULL);
END

CREATE OR REPLACE FUNCTION public.new_uuid_v7()
 RETURNS uuid
 LANGUAGE sql
RETURN (encode(set_bit(set_bit(OVERLAY(uuid_send(gen_random_uuid()) PLACING SUBSTRING(int8send(((EXTRACT(epoch FROM clock_timestamp()) * (1000)::numeric))::bigint) FROM 3) FROM 1 FOR 6), (52)::bigint, 1), (53)::bigint, 1), 'hex'::text))::uuid

CREATE OR REPLACE FUNCTION public.next_daily_flush(schedule jsonb, after timestamp with time zone)
 RETURNS timestamp with time zone
 LANGUAGE plpgsql
 STABLE
AS $function$
declare
  v_zone text := schedule->>'time_zone';
  v_time time := (schedule->>'daily_flush_at')::time;
  v_day date := (after at time zone v_zone)::date;
  v_at timestamptz := (v_day + v_time) at time zone v_zone;
begin
  return case when v_at > after then v_at else (v_day + 1 + v_time) at time zone v_zone end;
end $function$

CREATE OR REPLACE FUNCTION public.next_extraction(tenant uuid, conversation text)
 RETURNS extractions
 LANGUAGE sql
 STABLE
BEGIN ATOMIC
 SELECT e.*::extractions AS e
    FROM extractions e
   WHERE ((e.tenant_id = next_extraction.tenant) AND (e.conversation_id = next_extraction.conversation) AND (e.state = ANY (ARRAY['pending'::text, 'active'::text])))
   ORDER BY e.accepted_no
  LIMIT 1;
END

CREATE OR REPLACE FUNCTION public.next_webhook_delivery(tenant uuid, webhook uuid, claim_fence integer, lease_ms integer)
 RETURNS jsonb
 LANGUAGE plpgsql
AS $function$
declare
  v_hook webhooks;
  v_delivery webhook_deliveries;
  v_event events;
  v_horizon bigint;
begin
  update webhooks set lease_until = now() + lease_ms * interval '1 millisecond'
    where tenant_id = tenant and id = webhook and fence = claim_fence and disabled_at is null
    returning * into v_hook;
  if not found then
    return null;
  end if;
  loop
    select * into v_delivery from webhook_deliveries
      where tenant_id = tenant and webhook_id = webhook and state = 'pending'
      order by watermark nulls first, number, created_at limit 1;
    if not found then
      exit;
    end if;
    select * into v_event from events
      where tenant_id = tenant and watermark = v_delivery.watermark and number = v_delivery.number;
    if found or v_delivery.watermark is null then
      exit;
    end if;
    -- Its time is over, or its user has been erased.
    update webhook_deliveries set state = 'failed', error = 'event_gone'
      where tenant_id = tenant and id = v_delivery.id;
  end loop;
  if v_delivery.id is null then
    -- In a statement before the one that reads, so that its snapshot is the older one.
    v_horizon := event_horizon();
    select * into v_event from events
      where tenant_id = tenant and (watermark, number) > (v_hook.watermark, v_hook.number) and watermark < v_horizon
        and (v_hook.types is null or type = any(v_hook.types))
      order by watermark, number limit 1;
    update webhooks
      set watermark = coalesce(v_event.watermark, greatest(watermark, v_horizon)),
          number = case when v_event.number is not null then v_event.number when watermark < v_horizon then 0
            else number end
      where tenant_id = tenant and id = webhook;
    if v_event.number is null then
      return null;
    end if;
    insert into webhook_deliveries as d (id, tenant_id, webhook_id, watermark, number, type)
      values (new_uuid_v7(), tenant, webhook, v_event.watermark, v_event.number, v_event.type)
      on conflict (tenant_id, webhook_id, watermark, number) do update set state = 'pending'
      returning * into v_delivery;
  end if;
  return jsonb_build_object(
    'id', v_delivery.id, 'url', v_hook.url, 'payload', v_hook.payload, 'failures', v_hook.failures,
    'secrets', case when v_hook.previous_secret_until > now()
      then jsonb_build_array(v_hook.secret, v_hook.previous_secret) else jsonb_build_array(v_hook.secret) end,
    'event', jsonb_build_object(
      'id', coalesce(v_delivery.watermark || '-' || v_delivery.number, v_delivery.id::text),
      'type', v_delivery.type, 'timestamp', coalesce(v_event.created_at, v_delivery.created_at),
      'user_id', v_event.user_id, 'data', coalesce(v_event.data, '{}')));
end $function$

CREATE OR REPLACE FUNCTION public.note_extraction_events(ended uuid[], tenants uuid[] DEFAULT NULL::uuid[])
 RETURNS void
 LANGUAGE plpgsql
AS $function$
declare
  v_tenants constant uuid[] := coalesce(tenants, array(
    select (select tenant_id from extractions where id = given.id) from unnest(ended) with ordinality as given (id, place)
      order by place));
begin
  with place as materialized (select event_watermark() as watermark)
  insert into events (tenant_id, watermark, type, user_id, data)
  select tenant_id, place.watermark, 'extraction.' || state, user_id,
         jsonb_build_object('extraction_id', id, 'conversation_id', conversation_id) || case state
           when 'done' then jsonb_build_object('counts', jsonb_build_object('added', added, 'updated', updated,
             'deleted', deleted, 'unchanged', unchanged, 'rejected', rejected))
           when 'failed' then jsonb_build_object('error_class', error_class)
           else jsonb_build_object('reason', reason) end
    from unnest(ended, v_tenants) as given (ended_id, of_tenant)
    cross join lateral (select * from extractions where id = ended_id and tenant_id = of_tenant offset 0) as e
    cross join place
    where state in ('done', 'failed', 'dropped') order by accepted_no;
end $function$

CREATE OR REPLACE FUNCTION public.note_memory_events()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  with place as materialized (select event_watermark() as watermark)
  insert into events (tenant_id, watermark, type, user_id, data)
  select tenant_id, place.watermark,
         case operation when 'ADD' then 'memory.created' when 'DELETE' then 'memory.deleted'
           when 'RESTORE' then 'memory.restored' else 'memory.updated' end,
         user_id, jsonb_build_object('memory_id', memory_id, 'operation', operation, 'version', number,
           'extraction_id', extraction_id)
    from added cross join place order by memory_id, number;
  return null;
end $function$

CREATE OR REPLACE FUNCTION public.note_rejections(extraction uuid, reasons jsonb)
 RETURNS void
 LANGUAGE sql
BEGIN ATOMIC
 UPDATE extractions SET rejections = note_rejections.reasons
   WHERE ((extractions.id = note_rejections.extraction) AND (extractions.rejections IS DISTINCT FROM note_rejections.reasons) AND (jsonb_typeof(note_rejections.reasons) = 'object'::text));
END

CREATE OR REPLACE FUNCTION public.note_summary_events()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  with place as materialized (select event_watermark() as watermark)
  insert into events (tenant_id, watermark, type, user_id, data)
  select s.tenant_id, place.watermark, 'summary.updated', s.user_id,
         jsonb_build_object('conversation_id', nullif(s.conversation_id, ''), 'version', added.number)
    from added join summaries s on s.tenant_id = added.tenant_id and s.id = added.summary_id cross join place;
  return null;
end $function$

CREATE OR REPLACE FUNCTION public.note_users()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  insert into public.users (tenant_id, user_id)
    select distinct tenant_id, user_id collate "C" from added order by 1, 2
    on conflict (tenant_id, user_id) do nothing;
  return null;
end $function$

CREATE OR REPLACE FUNCTION public.note_written()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  new.written := pg_current_xact_id();
  return new;
end $function$

CREATE OR REPLACE FUNCTION public.preset_of(tenant uuid, owner text)
 RETURNS text
 LANGUAGE sql
 STABLE
RETURN COALESCE((SELECT u.preset FROM users u WHERE ((u.tenant_id = preset_of.tenant) AND (u.user_id = preset_of.owner))), (SELECT t.default_preset FROM tenants t WHERE (t.id = preset_of.tenant)))

CREATE OR REPLACE FUNCTION public.record_usage(tenant uuid, entries jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
AS $function$
declare
  v_day constant date := (clock_timestamp() at time zone 'utc')::date;
  v_warnings jsonb;
  v_place bigint;
begin
  perform pg_advisory_xact_lock_shared(hashtextextended('factmill.budgets ' || tenant::text, 0));
  if exists (select from budgets where tenant_id = tenant) then
    insert into spending as s (tenant_id, day, tokens, cost)
      select tenant, coalesce(day, v_day), coalesce(sum(input_tokens + output_tokens) filter (where purpose <> 'chat'), 0),
             coalesce(sum(cost) filter (where purpose <> 'chat'), 0)
        from jsonb_to_recordset(entries) as e (purpose text, input_tokens bigint, output_tokens bigint, cost numeric,
          day date)
        group by coalesce(day, v_day) order by coalesce(day, v_day)
      on conflict (tenant_id, day) do update set tokens = s.tokens + excluded.tokens, cost = s.cost + excluded.cost;
  end if;
  insert into usage as u (tenant_id, day, user_id, model, purpose, calls, input_tokens, output_tokens, cost)
    with given as (
      select * from jsonb_to_recordset(entries) as e (user_id text, model text, purpose text, calls bigint,
        input_tokens bigint, output_tokens bigint, cost numeric, day date)
    ), known as (
      -- An erasure waits for this, and finds what is counted here.
      select user_id from users where tenant_id = tenant and user_id in (select user_id from given) for key share
    )
    select tenant, coalesce(g.day, v_day), coalesce(k.user_id, ''), g.model, g.purpose, sum(g.calls),
           sum(g.input_tokens), sum(g.output_tokens), sum(g.cost)
      from given g left join known k on k.user_id = g.user_id
      group by coalesce(g.day, v_day), coalesce(k.user_id, ''), g.model, g.purpose
    on conflict (tenant_id, day, user_id, model, purpose) do update
      set calls = u.calls + excluded.calls, input_tokens = u.input_tokens + excluded.input_tokens,
          output_tokens = u.output_tokens + excluded.output_tokens,
          cost = coalesce(u.cost + excluded.cost, u.cost, excluded.cost);
  select jsonb_agg(jsonb_build_object('period', b.period, 'unit', b.unit, 'amount', b.amount, 'spent', b.spent,
           'level', l.level) order by l.level, b.period, b.unit) into v_warnings
    from budget_state(tenant) b cross join (values (80), (100)) as l (level)
      cross join lateral (
        select coalesce(sum(case b.unit when 'tokens' then e.input_tokens + e.output_tokens else e.cost end), 0) as taken
          from jsonb_to_recordset(entries) as e (purpose text, input_tokens bigint, output_tokens bigint, cost numeric,
            day date)
          where e.purpose <> 'chat'
            and coalesce(e.day, v_day) >= date_trunc(b.period, now() at time zone 'utc')::date
      ) as this
    where this.taken > 0 and b.spent * 100 >= b.amount * l.level
      and (b.spent - this.taken) * 100 < b.amount * l.level;
  if v_warnings is not null then
    v_place := event_watermark();
    insert into events (tenant_id, watermark, type, data)
      select tenant, v_place, case w->>'level' when '100' then 'budget.exceeded' else 'budget.warning' end, w
        from jsonb_array_elements(v_warnings) as w;
  end if;
  return v_warnings;
end $function$

CREATE OR REPLACE FUNCTION public.rests_on_replaced(message_ids text[], tenant uuid, conversation text)
 RETURNS boolean
 LANGUAGE sql
 STABLE
RETURN ((cardinality(message_ids) > 0) AND (NOT (EXISTS (SELECT FROM unnest(rests_on_replaced.message_ids) source(id) WHERE (NOT (EXISTS (SELECT FROM messages s WHERE ((s.tenant_id = rests_on_replaced.tenant) AND (s.conversation_id = rests_on_replaced.conversation) AND (s.id = source.id) AND s.superseded))))))))

CREATE OR REPLACE FUNCTION public.resume_deferred(tenant uuid, most integer)
 RETURNS jsonb
 LANGUAGE plpgsql
AS $function$
declare
  v_resumed jsonb;
begin
  if exists (select from budget_exhausted(tenant)) then
    return '[]';
  end if;
  update compression_runs set next_attempt_at = now(), queue_checked_at = null
    where tenant_id = tenant and state = 'pending' and error_class = 'budget';
  update replay_runs set deferred_until = null, reason = null, next_attempt_at = now(), queue_checked_at = null
    where tenant_id = tenant and state = 'pending' and deferred_until is not null;
  with resumed as (
    update extractions set deferred_until = null, reason = null, next_attempt_at = now(), queue_checked_at = null
      where tenant_id = tenant and state = 'pending' and deferred_until is not null
      returning id, generation, accepted_no
  )
  select coalesce(jsonb_agg(jsonb_build_object('id', id, 'tenantId', tenant, 'generation', generation)
           order by accepted_no), '[]') into v_resumed
    from (select * from resumed order by accepted_no limit most) as oldest;
  return v_resumed;
end $function$

CREATE OR REPLACE FUNCTION public.retire_own_words(reader extractions)
 RETURNS integer
 LANGUAGE plpgsql
AS $function$
declare
  v_count integer;
begin
  if not exists (
    select from (select * from memories where extraction_id = reader.id and tenant_id = reader.tenant_id offset 0) as m
      where m.is_current and m.source = 'own_words' and not m.id = any(reader.memory_ids)
  ) or not exists (
    select from extraction_outputs o
      where o.extraction_id = reader.id and o.tenant_id = reader.tenant_id and o.status = 'pinned' and o.provider <> 'extractive'
  ) then
    return 0;
  end if;
  perform lock_user_memories(reader.tenant_id, reader.user_id);
  with changed as (
    update memories m
      set valid_to = greatest(now(), m.valid_from), updated_at = now(), embedding_pending_since = null
      where m.tenant_id = reader.tenant_id and m.user_id = reader.user_id and m.is_current
        and m.extraction_id = reader.id and m.source = 'own_words' and not m.id = any(reader.memory_ids)
        and m.last_verified_at is not distinct from m.created_at
      returning m.*
  ), versions as (
    insert into memory_versions (memory_id, number, tenant_id, user_id, operation, before, after, actor, extraction_id)
    select changed.id,
           coalesce((select v.number from memory_versions v where v.memory_id = changed.id
             and v.tenant_id = changed.tenant_id order by v.number desc limit 1), 0) + 1,
           changed.tenant_id, changed.user_id, 'SUPERSEDE', to_jsonb(before) - 'search_text',
           to_jsonb(changed) - 'search_text', 'extraction', reader.id
      from changed join memories before on before.id = changed.id and before.tenant_id = changed.tenant_id
  )
  select count(*) into v_count from changed;
  return v_count;
end $function$

CREATE OR REPLACE FUNCTION public.retire_replaced(successor extractions)
 RETURNS integer
 LANGUAGE plpgsql
AS $function$
declare
  v_count integer;
begin
  perform lock_user_memories(successor.tenant_id, successor.user_id);
  with changed as (
    update memories m
      set valid_to = greatest(now(), m.valid_from), updated_at = now(), embedding_pending_since = null
      where m.tenant_id = successor.tenant_id and m.user_id = successor.user_id and m.is_current
        and m.extraction_id in (
          select id from extractions e where e.tenant_id = successor.tenant_id
            and e.conversation_id = successor.conversation_id and e.to_seq >= successor.replaces_from_seq)
        and not m.id = any(successor.memory_ids) and m.last_verified_at is not distinct from m.created_at
        and rests_on_replaced(m.message_ids, successor.tenant_id, successor.conversation_id)
      returning m.*
  ), versions as (
    insert into memory_versions (memory_id, number, tenant_id, user_id, operation, before, after, actor, extraction_id)
    select changed.id,
           coalesce((select v.number from memory_versions v where v.memory_id = changed.id
             and v.tenant_id = changed.tenant_id order by v.number desc limit 1), 0) + 1,
           changed.tenant_id, changed.user_id, 'SUPERSEDE', to_jsonb(before) - 'search_text',
           to_jsonb(changed) - 'search_text', 'extraction', successor.id
      from changed join memories before on before.id = changed.id and before.tenant_id = changed.tenant_id
  )
  select count(*) into v_count from changed;
  return v_count;
end $function$

CREATE OR REPLACE FUNCTION public.schedule_due_conversations(most integer, queue_limit integer, tenant_queue_limit integer, schedule jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
AS $function$
declare
  v_tenant uuid;
  v_id text;
  v_conversation jsonb;
  v_batch jsonb[] := '{}';
  v_own jsonb;
  v_more jsonb;
  v_scheduled jsonb := '[]';
  v_dropped jsonb := '[]';
begin
  if not exists (select from conversations where extraction_due_at <= now()) then
    return '{"conversations": 0, "scheduled": [], "dropped": []}';
  end if;
  if queue_limit > 0 or tenant_queue_limit > 0 then
    perform pg_advisory_xact_lock(hashtext('factmill.drop_oldest'));
  end if;
  for v_tenant, v_id in
    select tenant_id, id from conversations where extraction_due_at <= now()
      order by extraction_due_at limit 4 * most + 16
  loop
    exit when cardinality(v_batch) >= most;
    select jsonb_build_object(
        'tenant_id', tenant_id, 'conversation_id', id, 'user_id', user_id, 'from_seq', scheduled_seq + 1,
        'to_seq', last_seq, 'scope', policy_in_force->'scope', 'max_turns', policy_in_force->'max_turns',
        'trigger', coalesce(extraction_due_for, 'messages'), 'preset', coalesce(own_preset, schedule->>'preset'),
        'traceparent', extraction_traceparent, 'replaces_from_seq', replaced_from_seq)
      into v_conversation from (
        select * from conversations c where c.tenant_id = v_tenant and c.id = v_id and c.extraction_due_at <= now()
          for update skip locked) as due
      cross join lateral coalesce(policy->>'preset', preset_of(tenant_id, user_id)) as own_preset
      cross join lateral trigger_of(policy, own_preset, schedule) as policy_in_force;
    if found then
      v_batch := array_append(v_batch, v_conversation);
    end if;
  end loop;
  if cardinality(v_batch) = 0 then
    return '{"conversations": 0, "scheduled": [], "dropped": []}';
  end if;
  for v_tenant, v_own in
    select (b->>'tenant_id')::uuid, jsonb_agg(b order by place) from unnest(v_batch) with ordinality as u (b, place)
      group by 1 order by min(place)
  loop
    select coalesce(jsonb_agg(jsonb_build_object('id', id, 'tenant_id', tenant_id, 'generation', 0) order by place), '[]')
      into v_more from schedule_extractions(v_own) where not passed_over;
    v_scheduled := v_scheduled || v_more;
    update conversations c
      set scheduled_seq = c.last_seq, extraction_due_at = null, extraction_due_for = null,
          extraction_traceparent = null, replaced_from_seq = null
      from jsonb_to_recordset(v_own) as b (conversation_id text)
      where c.tenant_id = v_tenant and c.id = b.conversation_id;
  end loop;
  if queue_limit > 0 or tenant_queue_limit > 0 then
    v_dropped := drop_oldest(
      array(select distinct (b->>'tenant_id')::uuid from unnest(v_batch) as b), queue_limit, tenant_queue_limit);
  end if;
  return jsonb_build_object('conversations', cardinality(v_batch), 'scheduled', v_scheduled, 'dropped', v_dropped);
end $function$

CREATE OR REPLACE FUNCTION public.schedule_extractions(batch jsonb)
 RETURNS TABLE(place bigint, id uuid, tenant_id uuid, passed_over boolean)
 LANGUAGE sql
BEGIN ATOMIC
 WITH wanted AS (
          SELECT w_1.tenant_id,
             w_1.conversation_id,
             w_1.user_id,
             w_1.from_seq,
             w_1.to_seq,
             w_1.scope,
             w_1.max_turns,
             w_1.id,
             w_1.trigger,
             w_1.preset,
             w_1.metadata,
             w_1.traceparent,
             w_1.replaces_from_seq,
             w_1.place
            FROM ROWS FROM(jsonb_to_recordset(schedule_extractions.batch) AS (tenant_id uuid, conversation_id text, user_id text, from_seq integer, to_seq integer, scope text, max_turns integer, id uuid, trigger text, preset text, metadata jsonb, traceparent text, replaces_from_seq integer)) WITH ORDINALITY w_1(tenant_id, conversation_id, user_id, from_seq, to_seq, scope, max_turns, id, trigger, preset, metadata, traceparent, replaces_from_seq, place)
         ), said AS (
          SELECT w_1.place,
             w_1.scope,
             w_1.max_turns,
             m.seq,
             m.role,
             count(*) FILTER (WHERE (m.role = 'user'::text)) OVER (PARTITION BY w_1.place ORDER BY m.seq) AS turn,
             max(m.seq) FILTER (WHERE (m.role = 'user'::text)) OVER (PARTITION BY w_1.place) AS last_user_seq
            FROM (wanted w_1
              CROSS JOIN LATERAL ( SELECT m_1.seq,
                     m_1.role
                    FROM messages m_1
                   WHERE ((m_1.tenant_id = w_1.tenant_id) AND (m_1.conversation_id = w_1.conversation_id) AND ((m_1.seq >= w_1.from_seq) AND (m_1.seq <= w_1.to_seq)))
                  OFFSET 0) m)
         ), numbered AS (
          SELECT said.place,
             said.seq,
             said.role,
                 CASE
                     WHEN (said.scope = 'ephemeral'::text) THEN (
                     CASE
                         WHEN (said.seq < said.last_user_seq) THEN '-1'::integer
                         ELSE 0
                     END)::bigint
                     WHEN (said.max_turns > 0) THEN (GREATEST((said.turn - 1), (0)::bigint) / said.max_turns)
                     ELSE (0)::bigint
                 END AS part
            FROM said
         ), parts AS (
          SELECT numbered.place,
             numbered.part,
             min(numbered.seq) AS from_seq,
             max(numbered.seq) AS to_seq,
             max(numbered.part) OVER (PARTITION BY numbered.place) AS last_part,
             min(numbered.part) FILTER (WHERE (numbered.part >= 0)) OVER (PARTITION BY numbered.place) AS first_part
            FROM numbered
           GROUP BY numbered.place, numbered.part
          HAVING ((numbered.part >= 0) OR bool_or((numbered.role = 'user'::text)))
         ), written AS (
          INSERT INTO extractions (id, tenant_id, user_id, conversation_id, from_seq, to_seq, trigger, preset, metadata, traceparent, replaces_from_seq, state, reason, finished_at)  SELECT
                         CASE
                             WHEN (p.part = p.last_part) THEN COALESCE(w_1.id, new_uuid_v7())
                             ELSE new_uuid_v7()
                         END AS new_uuid_v7,
                     w_1.tenant_id,
                     w_1.user_id,
                     w_1.conversation_id,
                     p.from_seq,
                     p.to_seq,
                     w_1.trigger,
                     w_1.preset,
                     COALESCE(w_1.metadata, '{}'::jsonb) AS "coalesce",
                     w_1.traceparent,
                         CASE
                             WHEN (p.part = p.first_part) THEN w_1.replaces_from_seq
                             ELSE NULL::integer
                         END AS "case",
                         CASE
                             WHEN (p.part < 0) THEN 'skipped'::text
                             ELSE 'pending'::text
                         END AS "case",
                         CASE
                             WHEN (p.part < 0) THEN 'passed_over'::text
                             ELSE NULL::text
                         END AS "case",
                         CASE
                             WHEN (p.part < 0) THEN clock_timestamp()
                             ELSE NULL::timestamp with time zone
                         END AS "case"
                    FROM (parts p
                      JOIN wanted w_1 USING (place))
                   ORDER BY p.place, p.part
           RETURNING extractions.id,
             extractions.tenant_id,
             extractions.conversation_id,
             extractions.state,
             extractions.accepted_no
         )
  SELECT w.place,
     written.id,
     written.tenant_id,
     (written.state = 'skipped'::text)
    FROM (written
      JOIN wanted w USING (tenant_id, conversation_id))
   ORDER BY written.accepted_no;
END

CREATE OR REPLACE FUNCTION public.search_key(tenant uuid, owner text, word text)
 RETURNS bigint
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN hashtextextended(word, hashtextextended(COALESCE(owner, ''::text), hashtextextended((tenant)::text, (((owner IS NULL))::integer)::bigint)))

CREATE OR REPLACE FUNCTION public.search_keys(tenant uuid, owner text, terms tsvector)
 RETURNS bigint[]
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN (SELECT array_agg(search_key(search_keys.tenant, whose.owner, word.word)) AS array_agg FROM (unnest(tsvector_to_array(search_keys.terms)) word(word) CROSS JOIN (VALUES (search_keys.owner), (NULL::text)) whose(owner)))

CREATE OR REPLACE FUNCTION public.search_query(term text)
 RETURNS tsquery
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN phraseto_tsquery('english'::regconfig, search_spaced(term))

CREATE OR REPLACE FUNCTION public.search_spaced(given text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN (given ~ '[\u3005\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff]'::text) THEN regexp_replace(given, '([\u3005\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff])'::text, ' \1 '::text, 'g'::text) ELSE given END

CREATE OR REPLACE FUNCTION public.search_words(given text)
 RETURNS tsvector
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN to_tsvector('english'::regconfig, search_spaced(given))

CREATE OR REPLACE FUNCTION public.serves_tenant(tenant uuid)
 RETURNS boolean
 LANGUAGE sql
 STABLE
RETURN ((current_setting('role'::text) <> 'factmill_app'::text) OR (tenant = (NULLIF(current_setting('factmill.tenant_id'::text, true), ''::text))::uuid))

CREATE OR REPLACE FUNCTION public.summary_due(row_ summaries)
 RETURNS timestamp with time zone
 LANGUAGE sql
 STABLE
RETURN CASE WHEN (((row_).failures > 0) AND ((row_).refresh_at IS NOT NULL)) THEN (row_).refresh_at ELSE LEAST((now() + '00:00:02'::interval), (COALESCE((row_).stale_since, now()) + '00:00:30'::interval)) END

CREATE OR REPLACE FUNCTION public.trigger_of(policy jsonb, preset text, schedule jsonb)
 RETURNS jsonb
 LANGUAGE sql
 IMMUTABLE
RETURN (COALESCE(((schedule -> 'presets'::text) -> COALESCE(preset, (policy ->> 'preset'::text), (schedule ->> 'preset'::text))), ((schedule -> 'presets'::text) -> (schedule ->> 'preset'::text)), '{}'::jsonb) || (policy - 'preset'::text))

CREATE OR REPLACE FUNCTION public.turn_parts_with_keys(tenant uuid, keys bigint[], most integer)
 RETURNS SETOF uuid
 LANGUAGE sql
 STABLE SECURITY DEFINER ROWS 100
 SET enable_seqscan TO 'off'
BEGIN ATOMIC
 SELECT turn_parts.id
    FROM turn_parts
   WHERE ((search_keys(turn_parts.tenant_id, turn_parts.user_id, turn_parts.search_terms) @> turn_parts_with_keys.keys) AND (NOT (turn_parts.tenant_id IS DISTINCT FROM ( SELECT turn_parts_with_keys.tenant AS tenant
           WHERE serves_tenant(turn_parts_with_keys.tenant)))))
  LIMIT turn_parts_with_keys.most;
END


-- triggers
CREATE TRIGGER audit_records_keep BEFORE DELETE OR UPDATE ON public.audit_records FOR EACH ROW EXECUTE FUNCTION keep_audit_records()
CREATE TRIGGER budgets_count_spending AFTER INSERT ON public.budgets REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION count_spending()
CREATE TRIGGER conversations_note_users AFTER INSERT ON public.conversations REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION note_users()
CREATE TRIGGER documents_note_users AFTER INSERT ON public.documents REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION note_users()
CREATE TRIGGER memories_note_users AFTER INSERT ON public.memories REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION note_users()
CREATE TRIGGER memories_written BEFORE UPDATE OF tenant_id, user_id, content, key, value, category, kind, tier, tags, project, scope, conversation_id, extraction_id, expires_at, valid_to, archived_at, deleted_at ON public.memories FOR EACH ROW EXECUTE FUNCTION note_written()
CREATE TRIGGER memory_embeddings_written BEFORE UPDATE ON public.memory_embeddings FOR EACH ROW EXECUTE FUNCTION note_written()
CREATE TRIGGER memory_versions_leave_out_search_terms BEFORE INSERT ON public.memory_versions FOR EACH ROW EXECUTE FUNCTION leave_out_search_terms()
CREATE TRIGGER memory_versions_mark_narratives AFTER INSERT ON public.memory_versions REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION mark_narratives_stale()
CREATE TRIGGER memory_versions_note_events AFTER INSERT ON public.memory_versions REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION note_memory_events()
CREATE TRIGGER summaries_note_users AFTER INSERT ON public.summaries REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION note_users()
CREATE TRIGGER summary_versions_note_events AFTER INSERT ON public.summary_versions REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION note_summary_events()

-- row-level security
api_keys
audit_chains
audit_records
budgets
compression_answers
compression_runs
console_sessions
conversations
document_chunk_embeddings
document_chunks
documents
embedding_refusals
erasures
events
extraction_outputs
extractions
idempotency_keys
imported_items
legal_holds
memories
memory_embeddings
memory_versions
messages
replay_answers
replay_memories
replay_runs
replays
retention_policies
retention_runs
spending
summaries
summary_parts
summary_versions
turn_part_embeddings
turn_parts
usage
users
vault_files
vaults
webhook_deliveries
webhooks

-- policies
api_keys.of_tenant * permissive using (((tenant_id = ( SELECT (NULLIF(current_setting('factmill.tenant_id'::text, true), ''::text))::uuid AS "nullif")) OR ( SELECT (CURRENT_USER = 'factmill_system'::name)))) with check ()
audit_chains.of_tenant * permissive using (((tenant_id = ( SELECT (NULLIF(current_setting('factmill.tenant_id'::text, true), ''::text))::uuid AS "nullif")) OR ( SELECT (CURRENT_USER = 'factmill_system'::name)))) with check ()
audit_records.of_tenant * permissive using (((tenant_id = ( SELECT (NULLIF(current_setting('factmill.tenant_id'::text, true), ''::text))::uuid AS "nullif")) OR ( SELECT (CURRENT_USER = 'factmill_system'::name)))) with check ()
budgets.of_tenant * permissive using (((tenant_id = ( SELECT (NULLIF(current_setting('factmill.tenant_id'::text, true), ''::text))::uuid AS "nullif")) OR ( SELECT (CURRENT_USER = 'factmill_system'::name)))) with check ()
compression_answers.of_tenant * permissive using (((tenant_id = ( SELECT (NULLIF(current_setting('factmill.tenant_id'::text, true), ''::text))::uuid AS "nullif")) OR ( SELECT (CURRENT_USER = 'factmill_system'::name)))) with check ()
compression_runs.of_tenant * permissive using (((tenant_id = ( SELECT (NULLIF(current_setting('factmill.tenant_id'::text, true), ''::text))::uuid AS "nullif")) OR ( SELECT (CURRENT_USER = 'factmill_system'::name)))) with check ()
console_sessions.of_tenant * permissive using (((tenant_id = ( SELECT (NULLIF(current_setting('factmill.tenant_id'::text, true), ''::text))::uuid AS "nullif")) OR ( SELECT (CURRENT_USER = 'factmill_system'::name)))) with check ()
conversations.of_tenant * permissive using (((tenant_id = ( SELECT (NULLIF(current_setting('factmill.tenant_id'::text, true), ''::text))::uuid AS "nullif")) OR ( SELECT (CURRENT_USER = 'factmill_system'::name)))) with check ()
document_chunk_embeddings.of_tenant * permissive using (((tenant_id = ( SELECT (NULLIF(current_setting('factmill.tenant_id'::text, true), ''::text))::uuid AS "nullif")) OR ( SELECT (CURRENT_USER = 'factmill_system'::name)))) with check ()
document_chunks.of_tenant * permissive using (((tenant_id = ( SELECT (NULLIF(current_setting('factmill.tenant_id'::text, true), ''::text))::uuid AS "nullif")) OR ( SELECT (CURRENT_USER = 'factmill_system'::name)))) with check ()
documents.of_tenant * permissive using (((tenant_id = ( SELECT (NULLIF(current_setting('factmill.tenant_id'::text, true), ''::text))::uuid AS "nullif")) OR ( SELECT (CURRENT_USER = 'factmill_system'::name)))) with check ()
embedding_refusals.of_tenant * permissive using (((tenant_id = ( SELECT (NULLIF(current_setting('factmill.tenant_id'::text, true), ''::text))::uuid AS "nullif")) OR ( SELECT (CURRENT_USER = 'factmill_system'::name)))) with check ()
erasures.of_tenant * permissive using (((tenant_id = ( SELECT (NULLIF(current_setting('factmill.tenant_id'::text, true), ''::text))::uuid AS "nullif")) OR ( SELECT (CURRENT_USER = 'factmill_system'::name)))) with check ()
events.of_tenant * permissive using (((tenant_id = ( SELECT (NULLIF(current_setting('factmill.tenant_id'::text, true), ''::text))::uuid AS "nullif")) OR ( SELECT (CURRENT_USER = 'factmill_system'::name)))) with check ()
extraction_outputs.of_tenant * permissive using (((tenant_id = ( SELECT (NULLIF(current_setting('factmill.tenant_id'::text, true), ''::text))::uuid AS "nullif")) OR ( SELECT (CURRENT_USER = 'factmill_system'::name)))) with check ()
extractions.of_tenant * permissive using (((tenant_id = ( SELECT (NULLIF(current_setting('factmill.tenant_id'::text, true), ''::text))::uuid AS "nullif")) OR ( SELECT (CURRENT_USER = 'factmill_system'::name)))) with check ()
idempotency_keys.of_tenant * permissive using (((tenant_id = ( SELECT (NULLIF(current_setting('factmill.tenant_id'::text, true), ''::text))::uuid AS "nullif")) OR ( SELECT (CURRENT_USER = 'factmill_system'::name)))) with check ()
imported_items.of_tenant * permissive using (((tenant_id = ( SELECT (NULLIF(current_setting('factmill.tenant_id'::text, true), ''::text))::uuid AS "nullif")) OR ( SELECT (CURRENT_USER = 'factmill_system'::name)))) with check ()
legal_holds.of_tenant * permissive using (((tenant_id = ( SELECT (NULLIF(current_setting('factmill.tenant_id'::text, true), ''::text))::uuid AS "nullif")) OR ( SELECT (CURRENT_USER = 'factmill_system'::name)))) with check ()
memories.of_tenant * permissive using (((tenant_id = ( SELECT (NULLIF(current_setting('factmill.tenant_id'::text, true), ''::text))::uuid AS "nullif")) OR ( SELECT (CURRENT_USER = 'factmill_system'::name)))) with check ()
memory_embeddings.of_tenant * permissive using (((tenant_id = ( SELECT (NULLIF(current_setting('factmill.tenant_id'::text, true), ''::text))::uuid AS "nullif")) OR ( SELECT (CURRENT_USER = 'factmill_system'::name)))) with check ()
memory_versions.of_tenant * permissive using (((tenant_id = ( SELECT (NULLIF(current_setting('factmill.tenant_id'::text, true), ''::text))::uuid AS "nullif")) OR ( SELECT (CURRENT_USER = 'factmill_system'::name)))) with check ()
messages.of_tenant * permissive using (((tenant_id = ( SELECT (NULLIF(current_setting('factmill.tenant_id'::text, true), ''::text))::uuid AS "nullif")) OR ( SELECT (CURRENT_USER = 'factmill_system'::name)))) with check ()
replay_answers.of_tenant * permissive using (((tenant_id = ( SELECT (NULLIF(current_setting('factmill.tenant_id'::text, true), ''::text))::uuid AS "nullif")) OR ( SELECT (CURRENT_USER = 'factmill_system'::name)))) with check ()
replay_memories.of_tenant * permissive using (((tenant_id = ( SELECT (NULLIF(current_setting('factmill.tenant_id'::text, true), ''::text))::uuid AS "nullif")) OR ( SELECT (CURRENT_USER = 'factmill_system'::name)))) with check ()
replay_runs.of_tenant * permissive using (((tenant_id = ( SELECT (NULLIF(current_setting('factmill.tenant_id'::text, true), ''::text))::uuid AS "nullif")) OR ( SELECT (CURRENT_USER = 'factmill_system'::name)))) with check ()
replays.of_tenant * permissive using (((tenant_id = ( SELECT (NULLIF(current_setting('factmill.tenant_id'::text, true), ''::text))::uuid AS "nullif")) OR ( SELECT (CURRENT_USER = 'factmill_system'::name)))) with check ()
retention_policies.of_tenant * permissive using (((tenant_id = ( SELECT (NULLIF(current_setting('factmill.tenant_id'::text, true), ''::text))::uuid AS "nullif")) OR ( SELECT (CURRENT_USER = 'factmill_system'::name)))) with check ()
retention_runs.of_tenant * permissive using (((tenant_id = ( SELECT (NULLIF(current_setting('factmill.tenant_id'::text, true), ''::text))::uuid AS "nullif")) OR ( SELECT (CURRENT_USER = 'factmill_system'::name)))) with check ()
spending.of_tenant * permissive using (((tenant_id = ( SELECT (NULLIF(current_setting('factmill.tenant_id'::text, true), ''::text))::uuid AS "nullif")) OR ( SELECT (CURRENT_USER = 'factmill_system'::name)))) with check ()
summaries.of_tenant * permissive using (((tenant_id = ( SELECT (NULLIF(current_setting('factmill.tenant_id'::text, true), ''::text))::uuid AS "nullif")) OR ( SELECT (CURRENT_USER = 'factmill_system'::name)))) with check ()
summary_parts.of_tenant * permissive using (((tenant_id = ( SELECT (NULLIF(current_setting('factmill.tenant_id'::text, true), ''::text))::uuid AS "nullif")) OR ( SELECT (CURRENT_USER = 'factmill_system'::name)))) with check ()
summary_versions.of_tenant * permissive using (((tenant_id = ( SELECT (NULLIF(current_setting('factmill.tenant_id'::text, true), ''::text))::uuid AS "nullif")) OR ( SELECT (CURRENT_USER = 'factmill_system'::name)))) with check ()
turn_part_embeddings.of_tenant * permissive using (((tenant_id = ( SELECT (NULLIF(current_setting('factmill.tenant_id'::text, true), ''::text))::uuid AS "nullif")) OR ( SELECT (CURRENT_USER = 'factmill_system'::name)))) with check ()
turn_parts.of_tenant * permissive using (((tenant_id = ( SELECT (NULLIF(current_setting('factmill.tenant_id'::text, true), ''::text))::uuid AS "nullif")) OR ( SELECT (CURRENT_USER = 'factmill_system'::name)))) with check ()
usage.of_tenant * permissive using (((tenant_id = ( SELECT (NULLIF(current_setting('factmill.tenant_id'::text, true), ''::text))::uuid AS "nullif")) OR ( SELECT (CURRENT_USER = 'factmill_system'::name)))) with check ()
users.of_tenant * permissive using (((tenant_id = ( SELECT (NULLIF(current_setting('factmill.tenant_id'::text, true), ''::text))::uuid AS "nullif")) OR ( SELECT (CURRENT_USER = 'factmill_system'::name)))) with check ()
vault_files.of_tenant * permissive using (((tenant_id = ( SELECT (NULLIF(current_setting('factmill.tenant_id'::text, true), ''::text))::uuid AS "nullif")) OR ( SELECT (CURRENT_USER = 'factmill_system'::name)))) with check ()
vaults.of_tenant * permissive using (((tenant_id = ( SELECT (NULLIF(current_setting('factmill.tenant_id'::text, true), ''::text))::uuid AS "nullif")) OR ( SELECT (CURRENT_USER = 'factmill_system'::name)))) with check ()
webhook_deliveries.of_tenant * permissive using (((tenant_id = ( SELECT (NULLIF(current_setting('factmill.tenant_id'::text, true), ''::text))::uuid AS "nullif")) OR ( SELECT (CURRENT_USER = 'factmill_system'::name)))) with check ()
webhooks.of_tenant * permissive using (((tenant_id = ( SELECT (NULLIF(current_setting('factmill.tenant_id'::text, true), ''::text))::uuid AS "nullif")) OR ( SELECT (CURRENT_USER = 'factmill_system'::name)))) with check ()
