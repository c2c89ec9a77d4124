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
CREATE INDEX extractions_open_idx ON public.extractions USING btree (accepted_no) WHERE ((state = ANY (ARRAY['pending'::text, 'active'::text])) AND (accepted_no > 0))
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
CREATE INDEX memories_superseded_idx ON public.memories USING btree (tenant_id, superseded_by) WHERE (superseded_by IS NOT NULL)
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
accept_conversation(r jsonb, schedule jsonb) returns jsonb: dbbcd1da6e725929103ccdcfa21ded0d
accept_conversations(requests jsonb, queue_limit integer, tenant_queue_limit integer, schedule jsonb) returns jsonb: e3a96a55d34769dbea0c959c25af4ff0
accept_new_conversations(requests jsonb, schedule jsonb) returns jsonb: 87a1abef87a67d24054121787cecdeed
activate_embedding_model(model_id text) returns boolean: bc57fc2e880bfbf00757888f30283911
add_memories(given jsonb, changed_by text, extraction uuid) returns uuid[]: ea5de4e64ef9c8cf257b23d8d28ae801
after_apply(extraction uuid, wanted jsonb, tenant uuid DEFAULT NULL::uuid) returns void: 5646ea6b06c8b9172934a78a7809c7a7
analyze_table(given regclass) returns void: 4f51127f1e077a786e6c93b84daf5ff1
append_audit(tenant uuid, entry jsonb) returns bigint: 41ff5466bf22c3ac9bcd552d5af34927
apply_new_memories(extraction uuid, claim_fence integer, given jsonb, changed_by text, embedding_model text, embedded_ids uuid[], vectors text[], outcome jsonb, near_distance double precision DEFAULT NULL::double precision, new_vectors halfvec[] DEFAULT NULL::halfvec[], tenant uuid DEFAULT NULL::uuid) returns text: 7f0a6e5d9f8c967d80468c0597b7cdca
apply_row_security() returns boolean: 459113cac24f6a079011960df831f4a8
archive_oldest_entries(tenant uuid, owner text, conversation text, keep integer, changed_by text, extraction uuid) returns integer: 8dd2eecc180c2146230009b00357c48e
ask_for_summary(tenant uuid, owner text, conversation text, made_by text) returns void: 7f58022f6980d40c01c0e2399186927d
audit_hash(r audit_records) returns bytea: b4de3569b7715612a7b25cb1eb159903
audit_pseudonym(tenant uuid, name text) returns text: c232278613f52a028c34c47b1dc118c1
begin_embedding_build(model_id text, revived boolean) returns void: 122c5fe84a34f1503f817737f5a7cebc
budget_exhausted(tenant uuid) returns TABLE(until timestamp with time zone, reason text): 75e08a4af57fed123d1cacaf2ebdc2ef
budget_state(tenant uuid) returns TABLE(period text, unit text, amount numeric, spent numeric, resets_at timestamp with time zone): b83d565209ff8f70a3802b17bce1b11b
claim_extraction(tenant uuid, extraction uuid, worker text, lease_ms integer, known_limit integer, model_provider text, probe_interval_ms integer) returns json: 47f49118c0f4591e9f2949b1b765112d
conclude_extraction(extraction uuid, tenant uuid DEFAULT NULL::uuid) returns uuid: 81801de686254933f43f1399074d3ea6
conflicting_messages(r jsonb) returns jsonb: eef3684cd6c591b26aa1438b053b05b2
conversation_due(tenant uuid, conversation text, after_seq integer, trigger jsonb, schedule jsonb, last_at timestamp with time zone, OUT due_at timestamp with time zone, OUT due_for text) returns record: 370750806037e667a0ac1cae0543a752
count_spending() returns trigger: e9380bf1cf722f50f6693909d3376ea5
create_embedding_model(model text, model_dimensions integer) returns void: 02a3d47dc2b7b591967a38ff2a00674a
drop_embeddings(model_id text, most integer) returns integer: a31de7b1e7ccc07b1b54fbde788c32bb
drop_oldest(tenants_touched uuid[], queue_limit integer, tenant_queue_limit integer) returns jsonb: 826b263d9b7a9e650741dee85a7b2106
enter_provider(called text, probe_interval_ms integer, caller uuid) returns jsonb: 9a248e33b918631bd39f18cd545feb1c
event_horizon() returns bigint: 250b31091c4de3b1af27194d7bd54905
event_watermark() returns bigint: 6fe2496cd25cc1be463f1d20f71a5286
extraction_due(trigger jsonb, schedule jsonb, user_turns bigint, tokens bigint, has_reply boolean, last_at timestamp with time zone, OUT due_at timestamp with time zone, OUT due_for text) returns record: fb679f39cc37462e9e949f9c15cc385c
fail_extraction(extraction uuid, claim_fence integer, class text, message text, tenant uuid DEFAULT NULL::uuid) returns uuid: b4bb4b315b22e68778b393d3ab3fc4e7
finish_extraction(extraction uuid, claim_fence integer, outcome jsonb, tenant uuid DEFAULT NULL::uuid) returns boolean: 24946d2a81addd9e5d20a2fa02318c88
frequency_of_keys(tenant uuid, keys bigint[], most integer) returns bigint: c0fa55ab29050dfe6f87f0decb753b29
hmac_sha256(secret bytea, message bytea) returns bytea: 72d1019e714a4b2c390afe1969e34b5a
is_held(tenant uuid, owner text) returns boolean: 9c25509577b09ef3068cf6a64c0a44c6
keep_audit_records() returns trigger: 88942791be516b1a581cbbf71ddd5f95
leave_out_search_terms() returns trigger: e9cb06c08534fe2905c132a1b49b870e
lock_user_documents(tenant uuid, owner text) returns void: 339ed5025b802c8d8b195db5edac9656
lock_user_memories(tenant uuid, owner text) returns void: 0138fc50d7d1ed997543f26b97e5dc53
make_stale_due(tenants uuid[], users text[], stale_after_s integer) returns void: fe4808a0701a9a32d485b13e74b9d65e
mark_narratives_stale() returns trigger: 1a945f62ec747421bd7a0e5e9154e62a
matching_memory_ids(tenant uuid, owner text, keys text[], content_hashes bytea[], subject_hashes bytea[], conversation text DEFAULT ''::text) returns SETOF uuid: 5ae3c5312525cfd6dc6c0aef37fb158d
memories_as_of(tenant uuid, owner text, valid_at timestamp with time zone, known_at timestamp with time zone) returns SETOF memories: fb94cc4fcd0dd628d6ff6f781a30f9d1
memories_like(tenant uuid, owner text, patterns text[]) returns SETOF uuid: 64ddf191b62ad9e02b5b599d23a94219
memories_with_keys(tenant uuid, keys bigint[]) returns SETOF uuid: b9a81a8181c5bcabf0158a914aecad3b
near_memories(tenant uuid, owner text, embedding_model text, vectors text[], max_distance double precision, most integer) returns TABLE(candidate integer, memory_id uuid, distance double precision): 05a31cc60ed0083270c715fe973bb108
near_vectors(tenant uuid, owner text, embedding_model text, vectors halfvec[], max_distance double precision, most integer, conversation text DEFAULT ''::text) returns TABLE(candidate integer, memory_id uuid, distance double precision): 89f5ec32ec9fe67930dbd2fda1e27c8f
new_uuid_v7() returns uuid: 39bc26edb0a0f00641eb1f716dc1a86e
next_daily_flush(schedule jsonb, after timestamp with time zone) returns timestamp with time zone: 4e8c6f7c05e1008a8a9ed7c36b8a4966
next_extraction(tenant uuid, conversation text) returns extractions: b71db3fa0835981062d04e2109043d01
next_webhook_delivery(tenant uuid, webhook uuid, claim_fence integer, lease_ms integer) returns jsonb: 1aa65b3783c891c73f35aca58dd97590
note_extraction_events(ended uuid[], tenants uuid[] DEFAULT NULL::uuid[]) returns void: 55f2075f5b2ec75eaabf2560b55b5080
note_memory_events() returns trigger: 67a04203389404f92fac4592cbeb6482
note_rejections(extraction uuid, reasons jsonb) returns void: 7602761291b59cb9644b53b20292e52a
note_summary_events() returns trigger: b5853e6b8ab624078d2b3079cd1dd01d
note_users() returns trigger: 217ad9fb0300910d1fd7d6f4a833344d
note_written() returns trigger: f2e7cbcc9014bde0ad97be4826f29322
preset_of(tenant uuid, owner text) returns text: a8db1b41a6ea97ee79fac8bb80090ff2
record_usage(tenant uuid, entries jsonb) returns jsonb: 51894a5ff8ceae471e59c53c3961126a
rests_on_replaced(message_ids text[], tenant uuid, conversation text) returns boolean: 1fd2dbb2be98ab7f3683b074ed43caaf
resume_deferred(tenant uuid, most integer) returns jsonb: e2e0b501951ef49a44f653de1be3330e
retire_own_words(reader extractions) returns integer: afdfa5c8b9c634c237da9cca6e3f8638
retire_replaced(successor extractions) returns integer: ac2b349dfd6fb7fe120ff200c12f3702
schedule_due_conversations(most integer, queue_limit integer, tenant_queue_limit integer, schedule jsonb) returns jsonb: 3ce7717d2fed7b500ae0b22d432eda19
schedule_extractions(batch jsonb) returns TABLE(place bigint, id uuid, tenant_id uuid, passed_over boolean): 2dd1d0ef864004fac434ce0044d2c3e5
search_key(tenant uuid, owner text, word text) returns bigint: e00d2ec5b719a37f332bff2991d5f00e
search_keys(tenant uuid, owner text, terms tsvector) returns bigint[]: 4936a9faa8d445ac23713ef3d97e40d7
search_query(term text) returns tsquery: 242b821fdfd908e82b2ffae5cac6faa8
search_spaced(given text) returns text: 28538a0ecc9656a916bba209b0abe953
search_words(given text) returns tsvector: be091db7b80fffc5243ca5a92aa4dff5
serves_tenant(tenant uuid) returns boolean: a01fd151fd0086a632b9ce8d8f760849
summary_due(row_ summaries) returns timestamp with time zone: 1a7b9f68b793385361975f096ee04772
trigger_of(policy jsonb, preset text, schedule jsonb) returns jsonb: 82d6d8f1ed8f5cc253d4e3e1b020211e
turn_parts_with_keys(tenant uuid, keys bigint[], most integer) returns SETOF uuid: fbcb331a43769d64fb0026d9e2ea496c

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
