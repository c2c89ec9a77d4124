-- A database as migrations 0001 to 0017 left it, with rows in every table and the same ids in two tenants. Written by
-- pg_dump of PostgreSQL 15; the bodies of PL/pgSQL functions are left out.
SET standard_conforming_strings = on;
SELECT pg_catalog.set_config('search_path', 'public', false);
SET check_function_bodies = false;
CREATE EXTENSION IF NOT EXISTS pg_trgm WITH SCHEMA public;
CREATE EXTENSION IF NOT EXISTS vector WITH SCHEMA public;
CREATE FUNCTION public.search_spaced(given text) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$
  select case when given ~ '[\u3005\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff]'
    then regexp_replace(given, '([\u3005\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff])', ' \1 ', 'g')
    else given end
$$;
CREATE FUNCTION public.accept_conversation(r jsonb, schedule jsonb) RETURNS jsonb
    LANGUAGE plpgsql
    AS $$ begin end $$;
CREATE FUNCTION public.accept_conversations(requests jsonb, queue_limit integer, tenant_queue_limit integer) RETURNS jsonb
    LANGUAGE sql
    AS $$
  select accept_conversations(requests, queue_limit, tenant_queue_limit, '{}')
$$;
CREATE FUNCTION public.accept_conversations(requests jsonb, queue_limit integer, tenant_queue_limit integer, schedule jsonb) RETURNS jsonb
    LANGUAGE plpgsql
    AS $$ begin end $$;
CREATE FUNCTION public.accept_new_conversations(requests jsonb, schedule jsonb) RETURNS jsonb
    LANGUAGE plpgsql
    AS $$ begin end $$;
CREATE FUNCTION public.activate_embedding_model(model_id text) RETURNS boolean
    LANGUAGE plpgsql
    AS $$ begin end $$;
CREATE FUNCTION public.add_memories(given jsonb, changed_by text, extraction uuid) RETURNS uuid[]
    LANGUAGE plpgsql
    AS $$ begin end $$;
CREATE FUNCTION public.after_apply(extraction uuid, wanted jsonb) RETURNS void
    LANGUAGE plpgsql
    AS $$ begin end $$;
CREATE FUNCTION public.apply_new_memories(extraction uuid, claim_fence integer, given jsonb, changed_by text, embedding_model text, embedded_ids uuid[], vectors text[], outcome jsonb, near_distance double precision DEFAULT NULL::double precision) RETURNS text
    LANGUAGE plpgsql
    AS $$ begin end $$;
CREATE FUNCTION public.archive_oldest_entries(tenant uuid, owner text, conversation text, keep integer, changed_by text, extraction uuid) RETURNS integer
    LANGUAGE plpgsql
    AS $$ begin end $$;
CREATE FUNCTION public.ask_for_summary(tenant uuid, owner text, conversation text, made_by text) RETURNS void
    LANGUAGE sql
    AS $$
  insert into summaries as s (tenant_id, user_id, conversation_id, refreshed_by, stale_since, refresh_at)
    values (tenant, owner, conversation, made_by, now(), now() + interval '2 seconds')
    on conflict (tenant_id, user_id, conversation_id) do update
      set refreshed_by = made_by, stale_since = coalesce(s.stale_since, now()), refresh_at = summary_due(s),
          change_no = s.change_no + 1
      -- A narrative that is made by the same is marked already, by the versions of what has changed.
      where conversation <> '' or s.refreshed_by is distinct from made_by
$$;
CREATE FUNCTION public.begin_embedding_build(model_id text, revived boolean) RETURNS void
    LANGUAGE plpgsql
    AS $$ begin end $$;
CREATE FUNCTION public.claim_extraction(tenant uuid, extraction uuid, worker text, lease_ms integer, known_limit integer, model_provider text, probe_interval_ms integer) RETURNS json
    LANGUAGE plpgsql
    AS $$ begin end $$;
CREATE FUNCTION public.conclude_extraction(extraction uuid) RETURNS uuid
    LANGUAGE plpgsql
    AS $$ begin end $$;
CREATE FUNCTION public.conversation_due(tenant uuid, conversation text, after_seq integer, trigger jsonb, schedule jsonb, last_at timestamp with time zone, OUT due_at timestamp with time zone, OUT due_for text) RETURNS record
    LANGUAGE sql STABLE
    AS $$
  select due.* from (
      select count(*) filter (where role = 'user') as turns, coalesce(sum(token_estimate), 0) as tokens,
             coalesce(max(seq) filter (where role = 'assistant' and content <> '')
                      > max(seq) filter (where role = 'user'), false) as has_reply
        from messages where tenant_id = tenant and conversation_id = conversation and seq > after_seq
          and not superseded) as gathered,
    extraction_due(trigger, schedule, turns, tokens, has_reply, last_at) as due
$$;
CREATE FUNCTION public.create_embedding_model(model text, model_dimensions integer) RETURNS void
    LANGUAGE plpgsql
    AS $$ begin end $$;
CREATE FUNCTION public.drop_embeddings(model_id text, most integer) RETURNS integer
    LANGUAGE plpgsql
    AS $$ begin end $$;
CREATE FUNCTION public.drop_oldest(tenants_touched uuid[], queue_limit integer, tenant_queue_limit integer) RETURNS jsonb
    LANGUAGE plpgsql
    AS $$ begin end $$;
CREATE FUNCTION public.enter_provider(called text, probe_interval_ms integer, caller uuid) RETURNS jsonb
    LANGUAGE plpgsql
    AS $$ begin end $$;
CREATE FUNCTION public.extraction_due(trigger jsonb, schedule jsonb, user_turns bigint, tokens bigint, has_reply boolean, last_at timestamp with time zone, OUT due_at timestamp with time zone, OUT due_for text) RETURNS record
    LANGUAGE plpgsql STABLE
    AS $$ begin end $$;
CREATE FUNCTION public.fail_extraction(extraction uuid, claim_fence integer, class text, message text) RETURNS uuid
    LANGUAGE plpgsql
    AS $$ begin end $$;
CREATE FUNCTION public.finish_extraction(extraction uuid, claim_fence integer, outcome jsonb) RETURNS boolean
    LANGUAGE plpgsql
    AS $$ begin end $$;
CREATE FUNCTION public.leave_out_search_terms() RETURNS trigger
    LANGUAGE plpgsql
    AS $$ begin end $$;
CREATE FUNCTION public.lock_user_documents(tenant uuid, owner text) RETURNS void
    LANGUAGE sql
    AS $$
  select pg_advisory_xact_lock(hashtextextended('factmill.documents ' || tenant::text || ' ' || owner, 0))
$$;
CREATE FUNCTION public.lock_user_memories(tenant uuid, owner text) RETURNS void
    LANGUAGE sql
    AS $$
  select pg_advisory_xact_lock(hashtextextended('factmill.memories ' || tenant::text || ' ' || owner, 0))
$$;
CREATE FUNCTION public.make_stale_due(tenants uuid[], users text[], stale_after_s integer) RETURNS void
    LANGUAGE plpgsql
    SET enable_seqscan TO 'off'
    AS $$
begin
  update conversations c set extraction_due_at = now(), extraction_due_for = 'stale_conversation'
    from (select distinct tenant, owner from unnest(tenants, users) as u (tenant, owner)) as u
    cross join lateral (
      select w.tenant_id, w.id from conversations w
        where w.tenant_id = u.tenant and w.user_id = u.owner and w.extraction_due_at is not null
          and w.extraction_due_at > now() and w.last_active_at < now() - stale_after_s * interval '1 second'
        order by w.last_active_at limit 1000 for update skip locked) as stale
    where c.tenant_id = stale.tenant_id and c.id = stale.id;
end $$;
CREATE FUNCTION public.mark_narratives_stale() RETURNS trigger
    LANGUAGE plpgsql
    AS $$ begin end $$;
CREATE FUNCTION public.matching_memory_ids(tenant uuid, owner text, keys text[], content_hashes bytea[], subject_hashes bytea[], conversation text DEFAULT ''::text) RETURNS SETOF uuid
    LANGUAGE sql STABLE
    AS $$
  select id from memories where tenant_id = tenant and user_id = owner
    and scope = case when conversation = '' then 'global' else 'conversation' end
    and conversation_id = conversation and key = any(keys) and is_current
  union
  select id from memories where tenant_id = tenant and user_id = owner
    and scope = case when conversation = '' then 'global' else 'conversation' end
    and conversation_id = conversation and subject_hash = any(subject_hashes) and is_current
  union
  select id from memories where tenant_id = tenant and user_id = owner and conversation_id = conversation
    and content_hash = any(content_hashes) and deleted_at is null
$$;
CREATE FUNCTION public.search_words(given text) RETURNS tsvector
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$
  select to_tsvector('pg_catalog.english'::regconfig, search_spaced(given))
$$;
CREATE TABLE public.memories (
    id uuid NOT NULL,
    tenant_id uuid NOT NULL,
    user_id text NOT NULL,
    tier smallint DEFAULT 2 NOT NULL,
    kind text NOT NULL,
    category text DEFAULT 'general'::text NOT NULL,
    key text,
    value text,
    content text NOT NULL,
    question text,
    answer text,
    tags text[] DEFAULT '{}'::text[] NOT NULL,
    project text,
    topic text,
    importance real DEFAULT 0.5 NOT NULL,
    confidence smallint DEFAULT 70 NOT NULL,
    source text NOT NULL,
    source_context text,
    scope text DEFAULT 'global'::text NOT NULL,
    conversation_id text DEFAULT ''::text NOT NULL,
    content_hash bytea NOT NULL,
    subject_hash bytea,
    stated_at timestamp with time zone NOT NULL,
    valid_from timestamp with time zone NOT NULL,
    valid_to timestamp with time zone,
    expires_at timestamp with time zone,
    last_verified_at timestamp with time zone,
    last_accessed_at timestamp with time zone,
    access_count integer DEFAULT 0 NOT NULL,
    archived_at timestamp with time zone,
    deleted_at timestamp with time zone,
    superseded_by uuid,
    is_current boolean GENERATED ALWAYS AS (((valid_to IS NULL) AND (archived_at IS NULL) AND (deleted_at IS NULL))) STORED NOT NULL,
    search_text text GENERATED ALWAYS AS (lower(((((((content || '
'::text) || COALESCE(key, ''::text)) || '
'::text) || COALESCE(value, ''::text)) || '
'::text) || category))) STORED NOT NULL,
    extraction_id uuid,
    message_ids text[] DEFAULT '{}'::text[] NOT NULL,
    metadata jsonb DEFAULT '{}'::jsonb NOT NULL,
    embedding_pending_since timestamp with time zone,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    compressed_at timestamp with time zone,
    search_terms tsvector GENERATED ALWAYS AS (public.search_words(((((((content || '
'::text) || COALESCE(key, ''::text)) || '
'::text) || COALESCE(value, ''::text)) || '
'::text) || category))) STORED NOT NULL,
    written xid8 DEFAULT pg_current_xact_id() NOT NULL,
    CONSTRAINT memories_confidence_check CHECK (((confidence >= 0) AND (confidence <= 100))),
    CONSTRAINT memories_importance_check CHECK (((importance >= (0)::double precision) AND (importance <= (1)::double precision))),
    CONSTRAINT memories_kind_check CHECK ((kind = ANY (ARRAY['fact'::text, 'qa'::text, 'note'::text, 'event'::text]))),
    CONSTRAINT memories_scope_check CHECK ((scope = ANY (ARRAY['global'::text, 'conversation'::text]))),
    CONSTRAINT memories_tier_check CHECK (((tier >= 1) AND (tier <= 3)))
)
WITH (fillfactor='85');
CREATE FUNCTION public.memories_as_of(tenant uuid, owner text, valid_at timestamp with time zone, known_at timestamp with time zone) RETURNS SETOF public.memories
    LANGUAGE sql STABLE
    AS $$
  select m.* from (
    select distinct on (v.memory_id) v.after from memory_versions v
    where v.tenant_id = tenant and (owner is null or v.user_id = owner) and v.created_at <= known_at
    order by v.memory_id, v.number desc
  ) as known
  cross join lateral (select known.after->>'content' || E'\n' || coalesce(known.after->>'key', '') || E'\n' ||
    coalesce(known.after->>'value', '') || E'\n' || (known.after->>'category') as searched) as texts
  cross join lateral jsonb_populate_record(null::memories, known.after || jsonb_build_object(
    'search_text', lower(texts.searched), 'search_terms', search_words(texts.searched)::text)) as m
  where m.deleted_at is null and m.archived_at is null and m.valid_from <= valid_at
    and (m.valid_to is null or m.valid_to > valid_at) and (m.expires_at is null or m.expires_at > valid_at)
$$;
CREATE FUNCTION public.near_memories(tenant uuid, owner text, embedding_model text, vectors text[], max_distance double precision, most integer) RETURNS TABLE(candidate integer, memory_id uuid, distance double precision)
    LANGUAGE sql STABLE
    AS $$
  select given.place::integer, near.memory_id, near.distance
    from (select place, vector::halfvec as vector from unnest(vectors) with ordinality as v (vector, place)
            where vector is not null offset 0) as given
    cross join lateral (
      select close.memory_id, close.distance
        from (select e.memory_id, (e.embedding <=> given.vector) + 0 as distance from memory_embeddings e
                where e.tenant_id = tenant and e.user_id = owner and e.model = embedding_model
                  and (e.embedding <=> given.vector) + 0 <= max_distance offset 0) as close
        where exists (select from memories m where m.id = close.memory_id and m.is_current
          and m.scope = 'global' and m.conversation_id = '' and (m.expires_at is null or m.expires_at > now()))
        order by close.distance, close.memory_id limit most
    ) as near
$$;
CREATE FUNCTION public.new_uuid_v7() RETURNS uuid
    LANGUAGE sql
    AS $$
  select encode(set_bit(set_bit(overlay(uuid_send(gen_random_uuid()) placing
           substring(int8send((extract(epoch from clock_timestamp()) * 1000)::bigint) from 3) from 1 for 6),
         52, 1), 53, 1), 'hex')::uuid
$$;
CREATE FUNCTION public.next_daily_flush(schedule jsonb, after timestamp with time zone) RETURNS timestamp with time zone
    LANGUAGE plpgsql STABLE
    AS $$ begin end $$;
CREATE TABLE public.extractions (
    id uuid NOT NULL,
    accepted_no bigint NOT NULL,
    tenant_id uuid NOT NULL,
    user_id text NOT NULL,
    conversation_id text NOT NULL,
    from_seq integer NOT NULL,
    to_seq integer NOT NULL,
    trigger text NOT NULL,
    preset text NOT NULL,
    state text DEFAULT 'pending'::text NOT NULL,
    attempts integer DEFAULT 0 NOT NULL,
    fence integer DEFAULT 0 NOT NULL,
    lost_claims integer DEFAULT 0 NOT NULL,
    generation integer DEFAULT 0 NOT NULL,
    reason text,
    error_class text,
    error_message text,
    degraded text,
    added integer DEFAULT 0 NOT NULL,
    updated integer DEFAULT 0 NOT NULL,
    deleted integer DEFAULT 0 NOT NULL,
    unchanged integer DEFAULT 0 NOT NULL,
    rejected integer DEFAULT 0 NOT NULL,
    memory_ids uuid[] DEFAULT '{}'::uuid[] NOT NULL,
    model text,
    prompt_tokens integer,
    completion_tokens integer,
    model_calls integer DEFAULT 0 NOT NULL,
    model_ms integer,
    embed_ms integer,
    apply_ms integer,
    metadata jsonb DEFAULT '{}'::jsonb NOT NULL,
    traceparent text,
    accepted_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    next_attempt_at timestamp with time zone,
    queue_checked_at timestamp with time zone,
    started_at timestamp with time zone,
    claimed_at timestamp with time zone,
    claimed_by text,
    lease_until timestamp with time zone,
    finished_at timestamp with time zone,
    replaces_from_seq integer,
    rejections jsonb,
    CONSTRAINT extractions_state_check CHECK ((state = ANY (ARRAY['pending'::text, 'active'::text, 'done'::text, 'failed'::text, 'dropped'::text, 'skipped'::text])))
);
CREATE FUNCTION public.next_extraction(tenant uuid, conversation text) RETURNS public.extractions
    LANGUAGE sql STABLE
    AS $$
  select e from extractions e
    where e.tenant_id = tenant and e.conversation_id = conversation and e.state in ('pending', 'active')
    order by e.accepted_no limit 1
$$;
CREATE FUNCTION public.note_rejections(extraction uuid, reasons jsonb) RETURNS void
    LANGUAGE sql
    AS $$
  update extractions set rejections = reasons
    where id = extraction and rejections is distinct from reasons and jsonb_typeof(reasons) = 'object'
$$;
CREATE FUNCTION public.note_written() RETURNS trigger
    LANGUAGE plpgsql
    AS $$ begin end $$;
CREATE FUNCTION public.rests_on_replaced(message_ids text[], tenant uuid, conversation text) RETURNS boolean
    LANGUAGE sql STABLE
    AS $$
  select cardinality(message_ids) > 0 and not exists (
    select from unnest(message_ids) as source (id) where not exists (
      select from messages s where s.tenant_id = tenant and s.conversation_id = conversation and s.id = source.id
        and s.superseded))
$$;
CREATE FUNCTION public.retire_replaced(successor public.extractions) RETURNS integer
    LANGUAGE plpgsql
    AS $$ begin end $$;
CREATE FUNCTION public.schedule_due_conversations(most integer, queue_limit integer, tenant_queue_limit integer, schedule jsonb) RETURNS jsonb
    LANGUAGE plpgsql
    AS $$ begin end $$;
CREATE FUNCTION public.schedule_extractions(batch jsonb) RETURNS TABLE(place bigint, id uuid, tenant_id uuid, passed_over boolean)
    LANGUAGE sql
    AS $$
  with wanted as (
    select * from rows from (jsonb_to_recordset(batch) as (
      tenant_id uuid, conversation_id text, user_id text, from_seq integer, to_seq integer, scope text,
      max_turns integer, id uuid, trigger text, preset text, metadata jsonb, traceparent text,
      replaces_from_seq integer)) with ordinality as w (tenant_id, conversation_id, user_id, from_seq, to_seq, scope,
      max_turns, id, trigger, preset, metadata, traceparent, replaces_from_seq, place)
  ), said as (
    select w.place, w.scope, w.max_turns, m.seq, m.role,
           count(*) filter (where m.role = 'user') over (partition by w.place order by m.seq) as turn,
           max(m.seq) filter (where m.role = 'user') over (partition by w.place) as last_user_seq
      from wanted w join messages m on m.tenant_id = w.tenant_id and m.conversation_id = w.conversation_id
        and m.seq between w.from_seq and w.to_seq
  ), numbered as (
    select place, seq, role,
           case when scope = 'ephemeral' then case when seq < last_user_seq then -1 else 0 end
                when max_turns > 0 then greatest(turn - 1, 0) / max_turns else 0 end as part
      from said
  ), parts as (
    select place, part, min(seq) as from_seq, max(seq) as to_seq, max(part) over (partition by place) as last_part,
           min(part) filter (where part >= 0) over (partition by place) as first_part
      from numbered group by place, part having part >= 0 or bool_or(role = 'user')
  ), written as (
    insert into extractions (id, tenant_id, user_id, conversation_id, from_seq, to_seq, trigger, preset, metadata,
                             traceparent, replaces_from_seq, state, reason, finished_at)
    select case when part = last_part then coalesce(w.id, new_uuid_v7()) else new_uuid_v7() end, w.tenant_id,
           w.user_id, w.conversation_id, p.from_seq, p.to_seq, w.trigger, w.preset, coalesce(w.metadata, '{}'),
           w.traceparent, case when part = first_part then w.replaces_from_seq end,
           case when part < 0 then 'skipped' else 'pending' end, case when part < 0 then 'passed_over' end,
           case when part < 0 then clock_timestamp() end
      from parts p join wanted w using (place) order by place, part
    returning id, tenant_id, conversation_id, state, accepted_no
  )
  select w.place, written.id, written.tenant_id, written.state = 'skipped'
    from written join wanted w using (tenant_id, conversation_id) order by written.accepted_no
$$;
CREATE FUNCTION public.search_key(tenant uuid, owner text, word text) RETURNS bigint
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN hashtextextended(word, hashtextextended(COALESCE(owner, ''::text), hashtextextended((tenant)::text, (((owner IS NULL))::integer)::bigint)));
CREATE FUNCTION public.search_keys(tenant uuid, owner text, terms tsvector) RETURNS bigint[]
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN (SELECT array_agg(public.search_key(search_keys.tenant, whose.owner, word.word)) AS array_agg FROM (unnest(tsvector_to_array(search_keys.terms)) word(word) CROSS JOIN (VALUES (search_keys.owner), (NULL::text)) whose(owner)));
CREATE FUNCTION public.search_query(term text) RETURNS tsquery
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$
  select phraseto_tsquery('pg_catalog.english'::regconfig, search_spaced(term))
$$;
CREATE TABLE public.summaries (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    tenant_id uuid NOT NULL,
    user_id text NOT NULL,
    conversation_id text DEFAULT ''::text NOT NULL,
    of_conversation text GENERATED ALWAYS AS (NULLIF(conversation_id, ''::text)) STORED,
    content text,
    source text,
    prompt_version text,
    model text,
    covers_seq integer DEFAULT 0 NOT NULL,
    memory_count integer,
    version integer DEFAULT 0 NOT NULL,
    updated_at timestamp with time zone,
    refreshed_by text,
    stale_since timestamp with time zone,
    refresh_at timestamp with time zone,
    change_no bigint DEFAULT 0 NOT NULL,
    fence integer DEFAULT 0 NOT NULL,
    lease_until timestamp with time zone,
    attempts integer DEFAULT 0 NOT NULL,
    failures integer DEFAULT 0 NOT NULL,
    error_class text,
    CONSTRAINT summaries_refreshed_by_check CHECK ((refreshed_by = ANY (ARRAY['model'::text, 'composed'::text]))),
    CONSTRAINT summaries_source_check CHECK ((source = ANY (ARRAY['model'::text, 'composed'::text, 'manual'::text])))
);
CREATE FUNCTION public.summary_due(row_ public.summaries) RETURNS timestamp with time zone
    LANGUAGE sql STABLE
    AS $$
  select case when row_.failures > 0 and row_.refresh_at is not null then row_.refresh_at
    else least(now() + interval '2 seconds', coalesce(row_.stale_since, now()) + interval '30 seconds') end
$$;
CREATE FUNCTION public.trigger_of(policy jsonb, preset text, schedule jsonb) RETURNS jsonb
    LANGUAGE sql IMMUTABLE
    AS $$
  select coalesce(schedule->'presets'->coalesce(preset, policy->>'preset', schedule->>'preset'),
                  schedule->'presets'->(schedule->>'preset'), '{}') || (policy - 'preset')
$$;
CREATE TABLE public.api_keys (
    id text NOT NULL,
    tenant_id uuid NOT NULL,
    secret_sha256 bytea NOT NULL,
    name text NOT NULL,
    permissions text[] NOT NULL,
    user_id text,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    expires_at timestamp with time zone,
    revoked_at timestamp with time zone
);
CREATE TABLE public.compression_answers (
    run_id uuid NOT NULL,
    step text NOT NULL,
    number integer NOT NULL,
    status text NOT NULL,
    model text NOT NULL,
    prompt_version text NOT NULL,
    raw text NOT NULL,
    finish_reason text,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT compression_answers_status_check CHECK ((status = ANY (ARRAY['pinned'::text, 'rejected'::text])))
);
CREATE TABLE public.compression_periods (
    kind text NOT NULL,
    period date NOT NULL,
    due_at timestamp with time zone NOT NULL,
    until_at timestamp with time zone NOT NULL,
    after_tenant uuid,
    after_user text,
    runs integer DEFAULT 0 NOT NULL,
    started_at timestamp with time zone DEFAULT now() NOT NULL,
    finished_at timestamp with time zone,
    CONSTRAINT compression_periods_kind_check CHECK ((kind = ANY (ARRAY['daily'::text, 'weekly'::text])))
);
CREATE TABLE public.compression_runs (
    id uuid NOT NULL,
    tenant_id uuid NOT NULL,
    user_id text NOT NULL,
    kind text NOT NULL,
    period date NOT NULL,
    until_at timestamp with time zone NOT NULL,
    dry_run boolean DEFAULT false NOT NULL,
    state text DEFAULT 'pending'::text NOT NULL,
    attempts integer DEFAULT 0 NOT NULL,
    fence integer DEFAULT 0 NOT NULL,
    lost_claims integer DEFAULT 0 NOT NULL,
    generation integer DEFAULT 0 NOT NULL,
    plan jsonb,
    decisions jsonb,
    counts jsonb DEFAULT '{}'::jsonb NOT NULL,
    error_class text,
    error_message text,
    model_calls integer DEFAULT 0 NOT NULL,
    prompt_tokens integer DEFAULT 0 NOT NULL,
    completion_tokens integer DEFAULT 0 NOT NULL,
    model_ms integer DEFAULT 0 NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    next_attempt_at timestamp with time zone,
    queue_checked_at timestamp with time zone,
    started_at timestamp with time zone,
    claimed_by text,
    lease_until timestamp with time zone,
    finished_at timestamp with time zone,
    CONSTRAINT compression_runs_kind_check CHECK ((kind = ANY (ARRAY['daily'::text, 'weekly'::text]))),
    CONSTRAINT compression_runs_state_check CHECK ((state = ANY (ARRAY['pending'::text, 'active'::text, 'done'::text, 'failed'::text, 'proposed'::text])))
);
CREATE TABLE public.conversations (
    tenant_id uuid NOT NULL,
    id text NOT NULL,
    user_id text NOT NULL,
    project text,
    title text,
    policy jsonb DEFAULT '{}'::jsonb NOT NULL,
    metadata jsonb DEFAULT '{}'::jsonb NOT NULL,
    last_seq integer DEFAULT 0 NOT NULL,
    scheduled_seq integer DEFAULT 0 NOT NULL,
    extracted_seq integer DEFAULT 0 NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    last_active_at timestamp with time zone DEFAULT now() NOT NULL,
    extracted_at timestamp with time zone,
    extraction_due_at timestamp with time zone,
    extraction_due_for text,
    extraction_traceparent text,
    replaced_from_seq integer
);
CREATE TABLE public.document_chunk_embeddings (
    chunk_id uuid NOT NULL,
    model text NOT NULL,
    tenant_id uuid NOT NULL,
    user_id text NOT NULL,
    embedding public.halfvec NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL
);
CREATE TABLE public.document_chunks (
    id uuid NOT NULL,
    tenant_id uuid NOT NULL,
    user_id text NOT NULL,
    document_id text NOT NULL,
    "position" integer NOT NULL,
    content text NOT NULL,
    matching_text text,
    content_hash bytea NOT NULL,
    embedding_pending_since timestamp with time zone,
    embedding_leased_until timestamp with time zone
);
CREATE TABLE public.documents (
    tenant_id uuid NOT NULL,
    id text NOT NULL,
    user_id text NOT NULL,
    title text,
    content text NOT NULL,
    matching_text text NOT NULL,
    content_hash bytea NOT NULL,
    characters integer NOT NULL,
    chunk_count integer NOT NULL,
    chunking text NOT NULL,
    conversation_id text,
    project text,
    metadata jsonb DEFAULT '{}'::jsonb NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT documents_attachment_check CHECK (((conversation_id IS NULL) OR (project IS NULL)))
);
CREATE TABLE public.embedding_builds (
    model text NOT NULL,
    worker uuid,
    leased_until timestamp with time zone,
    stage text DEFAULT 'memories'::text NOT NULL,
    "position" uuid DEFAULT '00000000-0000-0000-0000-000000000000'::uuid NOT NULL,
    pass integer DEFAULT 1 NOT NULL,
    pass_started_at timestamp with time zone DEFAULT now() NOT NULL,
    found integer DEFAULT 0 NOT NULL,
    done bigint DEFAULT 0 NOT NULL,
    total bigint DEFAULT 0 NOT NULL,
    started_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT embedding_builds_stage_check CHECK ((stage = ANY (ARRAY['memories'::text, 'chunks'::text])))
);
CREATE TABLE public.embedding_indexes (
    tenant_id uuid NOT NULL,
    user_id text NOT NULL,
    model text NOT NULL,
    name text NOT NULL,
    vectors bigint NOT NULL,
    leased_until timestamp with time zone NOT NULL,
    ready_at timestamp with time zone
);
CREATE TABLE public.embedding_models (
    id text NOT NULL,
    dimensions integer NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    state text DEFAULT 'building'::text NOT NULL,
    provider text,
    endpoint_model text,
    endpoint_dimensions integer,
    endpoint_sha256 bytea,
    activated_at timestamp with time zone,
    CONSTRAINT embedding_models_state_check CHECK ((state = ANY (ARRAY['active'::text, 'building'::text, 'retired'::text])))
);
CREATE TABLE public.embedding_refusals (
    model text NOT NULL,
    memory_id uuid,
    chunk_id uuid,
    content_hash bytea,
    CONSTRAINT embedding_refusals_subject_check CHECK ((num_nonnulls(memory_id, chunk_id) = 1))
);
CREATE TABLE public.extraction_outputs (
    extraction_id uuid NOT NULL,
    number integer NOT NULL,
    tenant_id uuid NOT NULL,
    status text NOT NULL,
    provider text NOT NULL,
    model text NOT NULL,
    prompt_version text NOT NULL,
    raw text NOT NULL,
    finish_reason text,
    prompt_tokens integer,
    completion_tokens integer,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    purpose text DEFAULT 'extract'::text NOT NULL,
    shown jsonb,
    CONSTRAINT extraction_outputs_purpose_check CHECK ((purpose = ANY (ARRAY['extract'::text, 'continue'::text, 'reconcile'::text]))),
    CONSTRAINT extraction_outputs_status_check CHECK ((status = ANY (ARRAY['pinned'::text, 'rejected'::text])))
);
ALTER TABLE public.extractions ALTER COLUMN accepted_no ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.extractions_accepted_no_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.factmill_migrations (
    number integer NOT NULL,
    name text NOT NULL,
    checksum text NOT NULL,
    applied_at timestamp with time zone DEFAULT now() NOT NULL
);
CREATE TABLE public.idempotency_keys (
    tenant_id uuid NOT NULL,
    key text NOT NULL,
    request_sha256 text NOT NULL,
    response jsonb,
    created_at timestamp with time zone DEFAULT now() NOT NULL
);
CREATE TABLE public.memory_embeddings (
    memory_id uuid NOT NULL,
    model text NOT NULL,
    tenant_id uuid NOT NULL,
    user_id text NOT NULL,
    content_hash bytea NOT NULL,
    embedding public.halfvec NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    code bit varying GENERATED ALWAYS AS (public.binary_quantize(embedding)) STORED NOT NULL,
    written xid8 DEFAULT pg_current_xact_id() NOT NULL
)
WITH (autovacuum_vacuum_insert_scale_factor='0.02');
CREATE TABLE public.memory_versions (
    memory_id uuid NOT NULL,
    number integer NOT NULL,
    tenant_id uuid NOT NULL,
    user_id text NOT NULL,
    operation text NOT NULL,
    before jsonb,
    after jsonb,
    actor text NOT NULL,
    extraction_id uuid,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    cause text,
    CONSTRAINT memory_versions_operation_check CHECK ((operation = ANY (ARRAY['ADD'::text, 'UPDATE'::text, 'SUPERSEDE'::text, 'DELETE'::text, 'MERGE'::text, 'ARCHIVE'::text, 'RESTORE'::text])))
);
CREATE TABLE public.messages (
    tenant_id uuid NOT NULL,
    conversation_id text NOT NULL,
    seq integer NOT NULL,
    id text NOT NULL,
    role text NOT NULL,
    content text,
    name text,
    tool_calls jsonb,
    tool_call_id text,
    token_estimate integer NOT NULL,
    superseded boolean DEFAULT false NOT NULL,
    created_at timestamp with time zone NOT NULL,
    received_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT messages_content_check CHECK (((content IS NOT NULL) OR (tool_calls IS NOT NULL))),
    CONSTRAINT messages_role_check CHECK ((role = ANY (ARRAY['system'::text, 'developer'::text, 'user'::text, 'assistant'::text, 'tool'::text, 'function'::text])))
);
CREATE TABLE public.provider_breakers (
    provider text NOT NULL,
    opened_at timestamp with time zone,
    failures integer DEFAULT 0 NOT NULL,
    reason text,
    next_probe_at timestamp with time zone NOT NULL,
    probed_by uuid
);
CREATE TABLE public.settings (
    key text NOT NULL,
    value jsonb NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL
);
CREATE TABLE public.summary_versions (
    summary_id uuid NOT NULL,
    number integer NOT NULL,
    tenant_id uuid NOT NULL,
    content text NOT NULL,
    source text NOT NULL,
    prompt_version text,
    model text,
    actor text NOT NULL,
    covers_seq integer NOT NULL,
    memory_count integer,
    created_at timestamp with time zone DEFAULT now() NOT NULL
);
CREATE TABLE public.tenants (
    id uuid NOT NULL,
    name text NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL
);
INSERT INTO public.api_keys VALUES
	('app', '00000000-0000-7000-8000-000000000001', '\x00', 'app', '{memory.read,memory.write}', 'maya', '2026-01-01 00:00:00+00', NULL, NULL),
	('queues', '00000000-0000-7000-8000-000000000002', '\x01', 'queues', '{queue.read,queue.write}', NULL, '2026-01-01 00:00:00+00', NULL, NULL),
	('reader', '00000000-0000-7000-8000-000000000001', '\x02', 'reader', '{memory.read_all}', NULL, '2026-01-01 00:00:00+00', NULL, NULL),
	('admin', '00000000-0000-7000-8000-000000000001', '\x03', 'admin', '{admin}', NULL, '2026-01-01 00:00:00+00', NULL, NULL);
INSERT INTO public.compression_answers VALUES
	('00000000-0000-7000-8000-000000010041', 'merge', 1, 'rejected', 'm', '1', 'no', NULL, '2026-01-02 00:00:00+00'),
	('00000000-0000-7000-8000-000000010041', 'merge', 2, 'pinned', 'm', '1', '{}', NULL, '2026-01-02 00:00:00+00'),
	('00000000-0000-7000-8000-000000020041', 'merge', 1, 'rejected', 'm', '1', 'no', NULL, '2026-01-02 00:00:00+00'),
	('00000000-0000-7000-8000-000000020041', 'merge', 2, 'pinned', 'm', '1', '{}', NULL, '2026-01-02 00:00:00+00');
INSERT INTO public.compression_periods VALUES
	('daily', '2026-01-01', '2026-01-02 00:00:00+00', '2026-01-02 00:00:00+00', NULL, NULL, 2, '2026-01-02 00:00:00+00', NULL);
INSERT INTO public.compression_runs VALUES
	('00000000-0000-7000-8000-000000010041', '00000000-0000-7000-8000-000000000001', 'maya', 'daily', '2026-01-01', '2026-01-02 00:00:00+00', false, 'active', 0, 0, 0, 0, NULL, NULL, '{}', NULL, NULL, 0, 0, 0, 0, '2026-01-02 00:00:00+00', NULL, NULL, NULL, NULL, NULL, NULL),
	('00000000-0000-7000-8000-000000020041', '00000000-0000-7000-8000-000000000002', 'maya', 'daily', '2026-01-01', '2026-01-02 00:00:00+00', false, 'active', 0, 0, 0, 0, NULL, NULL, '{}', NULL, NULL, 0, 0, 0, 0, '2026-01-02 00:00:00+00', NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO public.conversations VALUES
	('00000000-0000-7000-8000-000000000001', 'chat', 'maya', NULL, 'Tea', '{}', '{}', 2, 2, 2, '2026-01-01 00:00:00+00', '2026-01-01 00:00:00+00', NULL, NULL, NULL, NULL, NULL),
	('00000000-0000-7000-8000-000000000002', 'chat', 'maya', NULL, 'Tea', '{}', '{}', 2, 2, 2, '2026-01-01 00:00:00+00', '2026-01-01 00:00:00+00', NULL, NULL, NULL, NULL, NULL);
INSERT INTO public.document_chunk_embeddings VALUES
	('00000000-0000-7000-8000-000000010021', 'small', '00000000-0000-7000-8000-000000000001', 'maya', '[0,1,0]', '2026-01-01 00:00:00+00'),
	('00000000-0000-7000-8000-000000020021', 'small', '00000000-0000-7000-8000-000000000002', 'maya', '[0,1,0]', '2026-01-01 00:00:00+00');
INSERT INTO public.document_chunks VALUES
	('00000000-0000-7000-8000-000000010021', '00000000-0000-7000-8000-000000000001', 'maya', 'rules', 1, 'Tea is served', NULL, '\x04', NULL, NULL),
	('00000000-0000-7000-8000-000000010022', '00000000-0000-7000-8000-000000000001', 'maya', 'rules', 2, ' at five.', NULL, '\x05', NULL, NULL),
	('00000000-0000-7000-8000-000000020021', '00000000-0000-7000-8000-000000000002', 'maya', 'rules', 1, 'Tea is served', NULL, '\x04', NULL, NULL),
	('00000000-0000-7000-8000-000000020022', '00000000-0000-7000-8000-000000000002', 'maya', 'rules', 2, ' at five.', NULL, '\x05', NULL, NULL);
INSERT INTO public.documents VALUES
	('00000000-0000-7000-8000-000000000001', 'rules', 'maya', NULL, 'Tea is served at five.', 'tea is served at five', '\x03', 22, 2, 'words', NULL, NULL, '{}', '2026-01-01 00:00:00+00', '2026-01-01 00:00:00+00'),
	('00000000-0000-7000-8000-000000000002', 'rules', 'maya', NULL, 'Tea is served at five.', 'tea is served at five', '\x03', 22, 2, 'words', NULL, NULL, '{}', '2026-01-01 00:00:00+00', '2026-01-01 00:00:00+00');
INSERT INTO public.embedding_builds VALUES
	('next', NULL, NULL, 'memories', '00000000-0000-0000-0000-000000000000', 1, '2026-01-02 00:00:00+00', 0, 1, 4, '2026-01-02 00:00:00+00');
INSERT INTO public.embedding_indexes VALUES
	('00000000-0000-7000-8000-000000000001', 'maya', 'small', 'memory_embeddings_of_1', 1, '2026-01-01 00:00:00+00', NULL),
	('00000000-0000-7000-8000-000000000002', 'maya', 'small', 'memory_embeddings_of_2', 1, '2026-01-01 00:00:00+00', NULL);
INSERT INTO public.embedding_models VALUES
	('small', 3, '2026-01-01 00:00:00+00', 'active', 'local', NULL, NULL, NULL, '2026-01-01 00:00:00+00'),
	('next', 3, '2026-01-02 00:00:00+00', 'building', NULL, NULL, NULL, NULL, NULL);
INSERT INTO public.embedding_refusals VALUES
	('small', '00000000-0000-7000-8000-000000010011', NULL, '\x01'),
	('small', NULL, '00000000-0000-7000-8000-000000010022', '\x05'),
	('small', '00000000-0000-7000-8000-000000020011', NULL, '\x01'),
	('small', NULL, '00000000-0000-7000-8000-000000020022', '\x05');
INSERT INTO public.extraction_outputs VALUES
	('00000000-0000-7000-8000-000000010001', 1, '00000000-0000-7000-8000-000000000001', 'rejected', 'scripted', 'm', '1', 'no', NULL, NULL, NULL, '2026-01-01 00:00:00+00', 'extract', NULL),
	('00000000-0000-7000-8000-000000010001', 2, '00000000-0000-7000-8000-000000000001', 'pinned', 'scripted', 'm', '1', '{}', NULL, NULL, NULL, '2026-01-01 00:00:00+00', 'extract', NULL),
	('00000000-0000-7000-8000-000000020001', 1, '00000000-0000-7000-8000-000000000002', 'rejected', 'scripted', 'm', '1', 'no', NULL, NULL, NULL, '2026-01-01 00:00:00+00', 'extract', NULL),
	('00000000-0000-7000-8000-000000020001', 2, '00000000-0000-7000-8000-000000000002', 'pinned', 'scripted', 'm', '1', '{}', NULL, NULL, NULL, '2026-01-01 00:00:00+00', 'extract', NULL);
INSERT INTO public.extractions OVERRIDING SYSTEM VALUE VALUES
	('00000000-0000-7000-8000-000000010001', 1, '00000000-0000-7000-8000-000000000001', 'maya', 'chat', 1, 2, 'messages', 'standard', 'done', 1, 1, 0, 0, NULL, NULL, NULL, NULL, 1, 0, 0, 0, 0, '{}', NULL, NULL, NULL, 0, NULL, NULL, NULL, '{}', NULL, '2026-01-01 00:00:00+00', NULL, NULL, '2026-01-01 00:00:00+00', NULL, NULL, NULL, '2026-01-01 00:00:00+00', NULL, NULL),
	('00000000-0000-7000-8000-000000010002', 2, '00000000-0000-7000-8000-000000000001', 'maya', 'chat', 3, 3, 'messages', 'standard', 'pending', 0, 0, 0, 0, NULL, NULL, NULL, NULL, 0, 0, 0, 0, 0, '{}', NULL, NULL, NULL, 0, NULL, NULL, NULL, '{}', NULL, '2026-01-02 00:00:00+00', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
	('00000000-0000-7000-8000-000000020001', 3, '00000000-0000-7000-8000-000000000002', 'maya', 'chat', 1, 2, 'messages', 'standard', 'done', 1, 1, 0, 0, NULL, NULL, NULL, NULL, 1, 0, 0, 0, 0, '{}', NULL, NULL, NULL, 0, NULL, NULL, NULL, '{}', NULL, '2026-01-01 00:00:00+00', NULL, NULL, '2026-01-01 00:00:00+00', NULL, NULL, NULL, '2026-01-01 00:00:00+00', NULL, NULL),
	('00000000-0000-7000-8000-000000020002', 4, '00000000-0000-7000-8000-000000000002', 'maya', 'chat', 3, 3, 'messages', 'standard', 'pending', 0, 0, 0, 0, NULL, NULL, NULL, NULL, 0, 0, 0, 0, 0, '{}', NULL, NULL, NULL, 0, NULL, NULL, NULL, '{}', NULL, '2026-01-02 00:00:00+00', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO public.factmill_migrations VALUES
	(1, '0001_foundation.sql', '622caefbd2f09b2b7fc708ae968a16cdce1956d20ec70c0aca2337f400483107', '2026-01-01 00:00:00+00'),
	(2, '0002_accept.sql', 'f5517e260388006999deff3e53c14446a49731e5ea2668c2857d284864aa48b5', '2026-01-01 00:00:00+00'),
	(3, '0003_search.trigram.sql', '15e776624258ee58a211a83a990c06852f605e464c31d2592edc749c773f065d', '2026-01-01 00:00:00+00'),
	(4, '0004_apply.sql', 'dffa1e8d17b9fd248f4cb45510ba3cdd85f6d8107359c006ebf2e2479dd65e0e', '2026-01-01 00:00:00+00'),
	(5, '0005_triggers.sql', 'f4e118b716802e91c441274e2ba43357d6e0566c222be66aaeda8f0a7fc255f2', '2026-01-01 00:00:00+00'),
	(6, '0006_providers.sql', 'b5c79d95bf1e6a06b1cb103f736639e67662f05cf9f61204c4abebbcaea123df', '2026-01-01 00:00:00+00'),
	(7, '0007_reconcile.sql', '26d9a58633d3302ea1ce2e3cc6bafa25708c15af280e5b100bfa3740808d1b81', '2026-01-01 00:00:00+00'),
	(8, '0008_documents.sql', '7f432ab40a533df2f432163defa6bd127f7640ebbd2698403ff024e96c69e01a', '2026-01-01 00:00:00+00'),
	(9, '0009_summaries.sql', 'de9b8c562c8986f22ac479b3e7b335f1f061d7bea0bd8b044a6d70d66a022c0f', '2026-01-01 00:00:00+00'),
	(10, '0010_compression.sql', 'cf28caa776377eb23c7d2dbd914ddd95f5171437fb51f2c4ff6d617bf7e8e966', '2026-01-01 00:00:00+00'),
	(11, '0011_search.sql', '73d2c834d13c80903696a8f8120b149d2a8ce2fe9145a84c8936418531dcb2e5', '2026-01-01 00:00:00+00'),
	(12, '0012_scopes.sql', '8275efd910b2440af96bfb36c2e1718e36a03636eee05292e178c65381dced03', '2026-01-01 00:00:00+00'),
	(13, '0013_vectors.sql', '7d8ea697c2d44ba7c0f1852e643ea4cfe1c1f7de6c03e23068edc754770c0551', '2026-01-01 00:00:00+00'),
	(14, '0014_fast_search.sql', '24a94630319085aa17066ac5558776457f616944b95c17d20d44fb6bef587248', '2026-01-01 00:00:00+00'),
	(15, '0015_known_context.sql', 'b828a5b9601280fff0fa5a2fac0caaddeebbce939a89899a1ea2c07519748bbf', '2026-01-01 00:00:00+00'),
	(16, '0016_kept_signs.sql', '0e5fe5f698bb7734f83db90dd1f1ad954e43663c77c20e0976215e44ccdd0f24', '2026-01-01 00:00:00+00'),
	(17, '0017_kept_words.sql', '3afc8ebbcbb77a2f9cf3fe2a9a77b628dd1d54d9bfa7a814cb5b1ff62136ae08', '2026-01-01 00:00:00+00');
INSERT INTO public.idempotency_keys VALUES
	('00000000-0000-7000-8000-000000000001', 'once', 'f00d', '{"status": "accepted"}', '2026-01-01 00:00:00+00'),
	('00000000-0000-7000-8000-000000000002', 'once', 'f00d', '{"status": "accepted"}', '2026-01-01 00:00:00+00');
INSERT INTO public.memories VALUES
	('00000000-0000-7000-8000-000000010011', '00000000-0000-7000-8000-000000000001', 'maya', 2, 'note', 'general', NULL, NULL, 'The user likes coffee.', NULL, NULL, '{}', NULL, NULL, 0.5, 70, 'test', NULL, 'global', '', '\x01', NULL, '2026-01-01 00:00:00+00', '2026-01-01 00:00:00+00', '2026-01-02 00:00:00+00', NULL, NULL, NULL, 0, NULL, NULL, '00000000-0000-7000-8000-000000010012', DEFAULT, DEFAULT, '00000000-0000-7000-8000-000000010001', '{}', '{}', NULL, '2026-01-01 00:00:00+00', '2026-01-02 00:00:00+00', NULL, DEFAULT, '7'),
	('00000000-0000-7000-8000-000000010012', '00000000-0000-7000-8000-000000000001', 'maya', 2, 'note', 'general', NULL, NULL, 'The user likes tea. 用户住在北京。', NULL, NULL, '{}', NULL, NULL, 0.5, 70, 'test', NULL, 'global', '', '\x02', NULL, '2026-01-02 00:00:00+00', '2026-01-02 00:00:00+00', NULL, NULL, NULL, NULL, 0, NULL, NULL, NULL, DEFAULT, DEFAULT, '00000000-0000-7000-8000-000000010001', '{}', '{}', NULL, '2026-01-02 00:00:00+00', '2026-01-02 00:00:00+00', NULL, DEFAULT, '8'),
	('00000000-0000-7000-8000-000000020011', '00000000-0000-7000-8000-000000000002', 'maya', 2, 'note', 'general', NULL, NULL, 'The user likes coffee.', NULL, NULL, '{}', NULL, NULL, 0.5, 70, 'test', NULL, 'global', '', '\x01', NULL, '2026-01-01 00:00:00+00', '2026-01-01 00:00:00+00', '2026-01-02 00:00:00+00', NULL, NULL, NULL, 0, NULL, NULL, '00000000-0000-7000-8000-000000020012', DEFAULT, DEFAULT, '00000000-0000-7000-8000-000000020001', '{}', '{}', NULL, '2026-01-01 00:00:00+00', '2026-01-02 00:00:00+00', NULL, DEFAULT, '7'),
	('00000000-0000-7000-8000-000000020012', '00000000-0000-7000-8000-000000000002', 'maya', 2, 'note', 'general', NULL, NULL, 'The user likes tea. 用户住在北京。', NULL, NULL, '{}', NULL, NULL, 0.5, 70, 'test', NULL, 'global', '', '\x02', NULL, '2026-01-02 00:00:00+00', '2026-01-02 00:00:00+00', NULL, NULL, NULL, NULL, 0, NULL, NULL, NULL, DEFAULT, DEFAULT, '00000000-0000-7000-8000-000000020001', '{}', '{}', NULL, '2026-01-02 00:00:00+00', '2026-01-02 00:00:00+00', NULL, DEFAULT, '8');
INSERT INTO public.memory_embeddings VALUES
	('00000000-0000-7000-8000-000000010012', 'small', '00000000-0000-7000-8000-000000000001', 'maya', '\x02', '[1,0,-1]', '2026-01-02 00:00:00+00', DEFAULT, '9'),
	('00000000-0000-7000-8000-000000020012', 'small', '00000000-0000-7000-8000-000000000002', 'maya', '\x02', '[1,0,-1]', '2026-01-02 00:00:00+00', DEFAULT, '9');
INSERT INTO public.memory_versions VALUES
	('00000000-0000-7000-8000-000000010011', 1, '00000000-0000-7000-8000-000000000001', 'maya', 'ADD', NULL, '{"content": "The user likes coffee."}', 'extraction', NULL, '2026-01-01 00:00:00+00', NULL),
	('00000000-0000-7000-8000-000000010011', 2, '00000000-0000-7000-8000-000000000001', 'maya', 'SUPERSEDE', '{}', '{}', 'extraction', NULL, '2026-01-02 00:00:00+00', 'newer_value'),
	('00000000-0000-7000-8000-000000010012', 1, '00000000-0000-7000-8000-000000000001', 'maya', 'ADD', NULL, '{}', 'extraction', NULL, '2026-01-02 00:00:00+00', NULL),
	('00000000-0000-7000-8000-000000020011', 1, '00000000-0000-7000-8000-000000000002', 'maya', 'ADD', NULL, '{"content": "The user likes coffee."}', 'extraction', NULL, '2026-01-01 00:00:00+00', NULL),
	('00000000-0000-7000-8000-000000020011', 2, '00000000-0000-7000-8000-000000000002', 'maya', 'SUPERSEDE', '{}', '{}', 'extraction', NULL, '2026-01-02 00:00:00+00', 'newer_value'),
	('00000000-0000-7000-8000-000000020012', 1, '00000000-0000-7000-8000-000000000002', 'maya', 'ADD', NULL, '{}', 'extraction', NULL, '2026-01-02 00:00:00+00', NULL);
INSERT INTO public.messages VALUES
	('00000000-0000-7000-8000-000000000001', 'chat', 1, 'm1', 'user', 'I like tea. 我住在北京。', NULL, NULL, NULL, 8, false, '2026-01-01 00:00:00+00', '2026-01-01 00:00:00+00'),
	('00000000-0000-7000-8000-000000000001', 'chat', 2, 'm2', 'assistant', 'Two
lines; and a \.', NULL, NULL, NULL, 6, false, '2026-01-01 00:00:00+00', '2026-01-01 00:00:00+00'),
	('00000000-0000-7000-8000-000000000002', 'chat', 1, 'm1', 'user', 'I like tea. 我住在北京。', NULL, NULL, NULL, 8, false, '2026-01-01 00:00:00+00', '2026-01-01 00:00:00+00'),
	('00000000-0000-7000-8000-000000000002', 'chat', 2, 'm2', 'assistant', 'Two
lines; and a \.', NULL, NULL, NULL, 6, false, '2026-01-01 00:00:00+00', '2026-01-01 00:00:00+00');
INSERT INTO public.provider_breakers VALUES
	('scripted', NULL, 2, NULL, '2026-01-01 00:00:00+00', NULL);
INSERT INTO public.settings VALUES
	('queue.limit', '100', '2026-01-01 00:00:00+00');
INSERT INTO public.summaries VALUES
	('00000000-0000-7000-8000-000000010031', '00000000-0000-7000-8000-000000000001', 'maya', '', DEFAULT, 'Likes tea.', 'model', NULL, NULL, 0, NULL, 1, '2026-01-02 00:00:00+00', NULL, NULL, NULL, 0, 0, NULL, 0, 0, NULL),
	('00000000-0000-7000-8000-000000010032', '00000000-0000-7000-8000-000000000001', 'maya', 'chat', DEFAULT, 'Talked of tea.', 'manual', NULL, NULL, 0, NULL, 1, '2026-01-02 00:00:00+00', NULL, NULL, NULL, 0, 0, NULL, 0, 0, NULL),
	('00000000-0000-7000-8000-000000020031', '00000000-0000-7000-8000-000000000002', 'maya', '', DEFAULT, 'Likes tea.', 'model', NULL, NULL, 0, NULL, 1, '2026-01-02 00:00:00+00', NULL, NULL, NULL, 0, 0, NULL, 0, 0, NULL),
	('00000000-0000-7000-8000-000000020032', '00000000-0000-7000-8000-000000000002', 'maya', 'chat', DEFAULT, 'Talked of tea.', 'manual', NULL, NULL, 0, NULL, 1, '2026-01-02 00:00:00+00', NULL, NULL, NULL, 0, 0, NULL, 0, 0, NULL);
INSERT INTO public.summary_versions VALUES
	('00000000-0000-7000-8000-000000010031', 1, '00000000-0000-7000-8000-000000000001', 'Likes tea.', 'model', NULL, NULL, 'summary', 2, NULL, '2026-01-02 00:00:00+00'),
	('00000000-0000-7000-8000-000000020031', 1, '00000000-0000-7000-8000-000000000002', 'Likes tea.', 'model', NULL, NULL, 'summary', 2, NULL, '2026-01-02 00:00:00+00');
INSERT INTO public.tenants VALUES
	('00000000-0000-7000-8000-000000000001', 'default', '2026-01-01 00:00:00+00'),
	('00000000-0000-7000-8000-000000000002', 'acme', '2026-01-01 00:00:00+00');
SELECT pg_catalog.setval('public.extractions_accepted_no_seq', 4, true);
ALTER TABLE ONLY public.api_keys
    ADD CONSTRAINT api_keys_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.api_keys
    ADD CONSTRAINT api_keys_tenant_name_key UNIQUE (tenant_id, name);
ALTER TABLE ONLY public.compression_answers
    ADD CONSTRAINT compression_answers_pkey PRIMARY KEY (run_id, step, number);
ALTER TABLE ONLY public.compression_periods
    ADD CONSTRAINT compression_periods_pkey PRIMARY KEY (kind, period);
ALTER TABLE ONLY public.compression_runs
    ADD CONSTRAINT compression_runs_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.conversations
    ADD CONSTRAINT conversations_pkey PRIMARY KEY (tenant_id, id);
ALTER TABLE ONLY public.document_chunk_embeddings
    ADD CONSTRAINT document_chunk_embeddings_pkey PRIMARY KEY (chunk_id, model);
ALTER TABLE ONLY public.document_chunks
    ADD CONSTRAINT document_chunks_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.document_chunks
    ADD CONSTRAINT document_chunks_position_key UNIQUE (tenant_id, document_id, "position");
ALTER TABLE ONLY public.documents
    ADD CONSTRAINT documents_pkey PRIMARY KEY (tenant_id, id);
ALTER TABLE ONLY public.embedding_builds
    ADD CONSTRAINT embedding_builds_pkey PRIMARY KEY (model);
ALTER TABLE ONLY public.embedding_indexes
    ADD CONSTRAINT embedding_indexes_name_key UNIQUE (name);
ALTER TABLE ONLY public.embedding_indexes
    ADD CONSTRAINT embedding_indexes_pkey PRIMARY KEY (tenant_id, user_id, model);
ALTER TABLE ONLY public.embedding_models
    ADD CONSTRAINT embedding_models_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.extraction_outputs
    ADD CONSTRAINT extraction_outputs_pkey PRIMARY KEY (extraction_id, number);
ALTER TABLE ONLY public.extractions
    ADD CONSTRAINT extractions_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.factmill_migrations
    ADD CONSTRAINT factmill_migrations_pk PRIMARY KEY (number);
ALTER TABLE ONLY public.idempotency_keys
    ADD CONSTRAINT idempotency_keys_pkey PRIMARY KEY (tenant_id, key);
ALTER TABLE ONLY public.memories
    ADD CONSTRAINT memories_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.memory_embeddings
    ADD CONSTRAINT memory_embeddings_pkey PRIMARY KEY (memory_id, model);
ALTER TABLE ONLY public.memory_versions
    ADD CONSTRAINT memory_versions_pkey PRIMARY KEY (memory_id, number);
ALTER TABLE ONLY public.messages
    ADD CONSTRAINT messages_id_key UNIQUE (tenant_id, conversation_id, id);
ALTER TABLE ONLY public.messages
    ADD CONSTRAINT messages_pkey PRIMARY KEY (tenant_id, conversation_id, seq);
ALTER TABLE ONLY public.provider_breakers
    ADD CONSTRAINT provider_breakers_pkey PRIMARY KEY (provider);
ALTER TABLE ONLY public.settings
    ADD CONSTRAINT settings_pkey PRIMARY KEY (key);
ALTER TABLE ONLY public.summaries
    ADD CONSTRAINT summaries_owner_key UNIQUE (tenant_id, user_id, conversation_id);
ALTER TABLE ONLY public.summaries
    ADD CONSTRAINT summaries_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.summary_versions
    ADD CONSTRAINT summary_versions_pkey PRIMARY KEY (summary_id, number);
ALTER TABLE ONLY public.tenants
    ADD CONSTRAINT tenants_name_key UNIQUE (name);
ALTER TABLE ONLY public.tenants
    ADD CONSTRAINT tenants_pkey PRIMARY KEY (id);
CREATE UNIQUE INDEX compression_answers_pinned_key ON public.compression_answers USING btree (run_id, step) WHERE (status = 'pinned'::text);
CREATE INDEX compression_runs_finished_idx ON public.compression_runs USING btree (finished_at) WHERE (plan IS NOT NULL);
CREATE INDEX compression_runs_open_idx ON public.compression_runs USING btree (created_at) WHERE (state = ANY (ARRAY['pending'::text, 'active'::text]));
CREATE UNIQUE INDEX compression_runs_period_key ON public.compression_runs USING btree (tenant_id, user_id, kind, period) WHERE (NOT dry_run);
CREATE INDEX compression_runs_user_idx ON public.compression_runs USING btree (tenant_id, user_id, created_at DESC);
CREATE INDEX conversations_due_idx ON public.conversations USING btree (extraction_due_at) WHERE (extraction_due_at IS NOT NULL);
CREATE INDEX conversations_user_idx ON public.conversations USING btree (user_id, tenant_id, last_active_at DESC);
CREATE INDEX conversations_waiting_idx ON public.conversations USING btree (tenant_id, user_id, last_active_at) WHERE (extraction_due_at IS NOT NULL);
CREATE INDEX document_chunk_embeddings_user_idx ON public.document_chunk_embeddings USING btree (tenant_id, user_id, model);
CREATE INDEX document_chunks_embedding_pending_idx ON public.document_chunks USING btree (embedding_pending_since, id) WHERE (embedding_pending_since IS NOT NULL);
CREATE INDEX document_chunks_short_idx ON public.document_chunks USING btree (tenant_id, user_id) WHERE (matching_text IS NOT NULL);
CREATE INDEX documents_conversation_idx ON public.documents USING btree (tenant_id, conversation_id) WHERE (conversation_id IS NOT NULL);
CREATE INDEX documents_user_idx ON public.documents USING btree (tenant_id, user_id, created_at DESC, id DESC);
CREATE UNIQUE INDEX embedding_models_active_key ON public.embedding_models USING btree (state) WHERE (state = 'active'::text);
CREATE UNIQUE INDEX embedding_refusals_chunk_key ON public.embedding_refusals USING btree (chunk_id, model) WHERE (chunk_id IS NOT NULL);
CREATE UNIQUE INDEX embedding_refusals_memory_key ON public.embedding_refusals USING btree (memory_id, model) WHERE (memory_id IS NOT NULL);
CREATE UNIQUE INDEX extraction_outputs_pinned_key ON public.extraction_outputs USING btree (extraction_id, purpose) WHERE (status = 'pinned'::text);
CREATE UNIQUE INDEX extractions_active_key ON public.extractions USING btree (tenant_id, conversation_id) WHERE (state = 'active'::text);
CREATE INDEX extractions_conversation_idx ON public.extractions USING btree (tenant_id, conversation_id, to_seq);
CREATE INDEX extractions_conversation_open_idx ON public.extractions USING btree (tenant_id, conversation_id, accepted_no) WHERE (state = ANY (ARRAY['pending'::text, 'active'::text]));
CREATE INDEX extractions_list_idx ON public.extractions USING btree (tenant_id, accepted_no DESC);
CREATE INDEX extractions_open_idx ON public.extractions USING btree (accepted_no) WHERE (state = ANY (ARRAY['pending'::text, 'active'::text]));
CREATE INDEX extractions_user_idx ON public.extractions USING btree (tenant_id, user_id, accepted_no DESC);
CREATE INDEX extractions_waiting_idx ON public.extractions USING btree (tenant_id, accepted_no) WHERE ((state = 'pending'::text) AND (started_at IS NULL));
CREATE INDEX idempotency_keys_created_idx ON public.idempotency_keys USING btree (created_at);
CREATE INDEX memories_content_idx ON public.memories USING btree (tenant_id, user_id, content_hash);
CREATE UNIQUE INDEX memories_content_key ON public.memories USING btree (tenant_id, user_id, scope, conversation_id, content_hash) WHERE ((key IS NULL) AND (subject_hash IS NULL) AND is_current);
CREATE INDEX memories_deleted_idx ON public.memories USING btree (deleted_at) WHERE (deleted_at IS NOT NULL);
CREATE INDEX memories_embedding_pending_idx ON public.memories USING btree (embedding_pending_since) WHERE (embedding_pending_since IS NOT NULL);
CREATE INDEX memories_expiry_idx ON public.memories USING btree (expires_at) WHERE (expires_at IS NOT NULL);
CREATE INDEX memories_extraction_idx ON public.memories USING btree (extraction_id) WHERE (extraction_id IS NOT NULL);
CREATE UNIQUE INDEX memories_key_key ON public.memories USING btree (tenant_id, user_id, scope, conversation_id, category, key) WHERE ((key IS NOT NULL) AND is_current);
CREATE INDEX memories_project_idx ON public.memories USING btree (tenant_id, user_id, project) WHERE (is_current AND (project IS NOT NULL));
CREATE INDEX memories_search_text_trgm ON public.memories USING gin (search_text public.gin_trgm_ops) WITH (gin_pending_list_limit='256') WHERE is_current;
CREATE INDEX memories_source_category_idx ON public.memories USING btree (tenant_id, source, category) WHERE is_current;
CREATE INDEX memories_stated_idx ON public.memories USING btree (tenant_id, user_id, stated_at DESC, id DESC) WHERE is_current;
CREATE UNIQUE INDEX memories_subject_key ON public.memories USING btree (tenant_id, user_id, scope, conversation_id, subject_hash) WHERE ((subject_hash IS NOT NULL) AND is_current);
CREATE INDEX memories_uncompressed_idx ON public.memories USING btree (tenant_id, user_id, stated_at) WHERE ((tier = 3) AND is_current AND (compressed_at IS NULL));
CREATE INDEX memories_user_idx ON public.memories USING btree (tenant_id, user_id, created_at DESC, id DESC) WHERE is_current;
CREATE INDEX memories_words_idx ON public.memories USING gin (public.search_keys(tenant_id, user_id, search_terms)) WITH (gin_pending_list_limit='128') WHERE is_current;
CREATE INDEX memories_written_idx ON public.memories USING btree (tenant_id, user_id, written) WHERE is_current;
CREATE INDEX memory_embeddings_near_idx ON public.memory_embeddings USING btree (tenant_id, user_id, model, written) INCLUDE (memory_id, code);
CREATE INDEX memory_versions_user_idx ON public.memory_versions USING btree (tenant_id, user_id);
CREATE INDEX summaries_conversation_idx ON public.summaries USING btree (tenant_id, of_conversation) WHERE (of_conversation IS NOT NULL);
CREATE INDEX summaries_refresh_idx ON public.summaries USING btree (refresh_at) WHERE (refresh_at IS NOT NULL);
CREATE INDEX summary_versions_created_idx ON public.summary_versions USING btree (created_at);
CREATE TRIGGER memories_written BEFORE UPDATE OF tenant_id, user_id, content, key, value, category, project, expires_at, valid_to, archived_at, deleted_at ON public.memories FOR EACH ROW EXECUTE FUNCTION public.note_written();
CREATE TRIGGER memory_embeddings_written BEFORE UPDATE ON public.memory_embeddings FOR EACH ROW EXECUTE FUNCTION public.note_written();
CREATE TRIGGER memory_versions_leave_out_search_terms BEFORE INSERT ON public.memory_versions FOR EACH ROW EXECUTE FUNCTION public.leave_out_search_terms();
CREATE TRIGGER memory_versions_mark_narratives AFTER INSERT ON public.memory_versions REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION public.mark_narratives_stale();
ALTER TABLE ONLY public.api_keys
    ADD CONSTRAINT api_keys_tenant_fkey FOREIGN KEY (tenant_id) REFERENCES public.tenants(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.compression_answers
    ADD CONSTRAINT compression_answers_run_fkey FOREIGN KEY (run_id) REFERENCES public.compression_runs(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.compression_runs
    ADD CONSTRAINT compression_runs_tenant_fkey FOREIGN KEY (tenant_id) REFERENCES public.tenants(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.conversations
    ADD CONSTRAINT conversations_tenant_fkey FOREIGN KEY (tenant_id) REFERENCES public.tenants(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.document_chunk_embeddings
    ADD CONSTRAINT document_chunk_embeddings_chunk_fkey FOREIGN KEY (chunk_id) REFERENCES public.document_chunks(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.document_chunk_embeddings
    ADD CONSTRAINT document_chunk_embeddings_model_fkey FOREIGN KEY (model) REFERENCES public.embedding_models(id);
ALTER TABLE ONLY public.document_chunks
    ADD CONSTRAINT document_chunks_document_fkey FOREIGN KEY (tenant_id, document_id) REFERENCES public.documents(tenant_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY public.documents
    ADD CONSTRAINT documents_conversation_fkey FOREIGN KEY (tenant_id, conversation_id) REFERENCES public.conversations(tenant_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY public.documents
    ADD CONSTRAINT documents_tenant_fkey FOREIGN KEY (tenant_id) REFERENCES public.tenants(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.embedding_builds
    ADD CONSTRAINT embedding_builds_model_fkey FOREIGN KEY (model) REFERENCES public.embedding_models(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.embedding_indexes
    ADD CONSTRAINT embedding_indexes_model_fkey FOREIGN KEY (model) REFERENCES public.embedding_models(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.embedding_indexes
    ADD CONSTRAINT embedding_indexes_tenant_fkey FOREIGN KEY (tenant_id) REFERENCES public.tenants(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.embedding_refusals
    ADD CONSTRAINT embedding_refusals_chunk_fkey FOREIGN KEY (chunk_id) REFERENCES public.document_chunks(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.embedding_refusals
    ADD CONSTRAINT embedding_refusals_memory_fkey FOREIGN KEY (memory_id) REFERENCES public.memories(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.embedding_refusals
    ADD CONSTRAINT embedding_refusals_model_fkey FOREIGN KEY (model) REFERENCES public.embedding_models(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.extraction_outputs
    ADD CONSTRAINT extraction_outputs_extraction_fkey FOREIGN KEY (extraction_id) REFERENCES public.extractions(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.extractions
    ADD CONSTRAINT extractions_conversation_fkey FOREIGN KEY (tenant_id, conversation_id) REFERENCES public.conversations(tenant_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY public.idempotency_keys
    ADD CONSTRAINT idempotency_keys_tenant_fkey FOREIGN KEY (tenant_id) REFERENCES public.tenants(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.memories
    ADD CONSTRAINT memories_tenant_fkey FOREIGN KEY (tenant_id) REFERENCES public.tenants(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.memory_embeddings
    ADD CONSTRAINT memory_embeddings_memory_fkey FOREIGN KEY (memory_id) REFERENCES public.memories(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.memory_embeddings
    ADD CONSTRAINT memory_embeddings_model_fkey FOREIGN KEY (model) REFERENCES public.embedding_models(id);
ALTER TABLE ONLY public.memory_versions
    ADD CONSTRAINT memory_versions_tenant_fkey FOREIGN KEY (tenant_id) REFERENCES public.tenants(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.messages
    ADD CONSTRAINT messages_conversation_fkey FOREIGN KEY (tenant_id, conversation_id) REFERENCES public.conversations(tenant_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY public.summaries
    ADD CONSTRAINT summaries_conversation_fkey FOREIGN KEY (tenant_id, of_conversation) REFERENCES public.conversations(tenant_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY public.summaries
    ADD CONSTRAINT summaries_tenant_fkey FOREIGN KEY (tenant_id) REFERENCES public.tenants(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.summary_versions
    ADD CONSTRAINT summary_versions_summary_fkey FOREIGN KEY (summary_id) REFERENCES public.summaries(id) ON DELETE CASCADE;
