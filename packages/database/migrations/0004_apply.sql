-- What an extraction does to the ledger and the memories, in few round trips: claim_extraction and
-- apply_new_memories, and the steps that the latter shares with the writers that run one by one. They are VOLATILE, so
-- that each statement in them sees what was committed before it: what is read under a lock is read after it is held.

-- What a user stated last, read with every claim.
create index memories_stated_idx on memories (tenant_id, user_id, stated_at desc, id desc) where is_current;

-- claim_extraction(tenant, extraction, worker, lease_ms, known_limit) -> json
--
-- Takes an extraction for a worker and brings what it works on: the pinned answer if there is one, else the user's
-- last stated memories (at most known_limit), and the messages of its range.
--   out: { claim: {…}, pinned: {…} | null, messages: […], known: […] }, or, when it is not to be had,
--        { state, left_ms }; null when there is no such extraction
create function claim_extraction(
  tenant uuid, extraction uuid, worker text, lease_ms integer, known_limit integer
) returns json language plpgsql as $$
declare
  v_row extractions;
  v_pinned json;
begin
  -- `is true` keeps the planner from reading all of a tenant's rows, which on a young database without statistics
  -- looks as cheap to it as the one with that id.
  update extractions
    set state = 'active', fence = fence + 1, lost_claims = lost_claims + (state = 'active')::integer,
        started_at = coalesce(started_at, now()), claimed_at = now(), claimed_by = worker,
        lease_until = now() + lease_ms * interval '1 millisecond'
    where id = extraction and (tenant_id = tenant) is true
      and (state = 'pending' or (state = 'active' and (lease_until <= now() or claimed_by = worker)))
    returning * into v_row;
  if not found then
    return (select json_build_object('state', state,
                     'left_ms', (extract(epoch from lease_until - now()) * 1000)::integer)
              from extractions where id = extraction and (tenant_id = tenant) is true);
  end if;

  -- A statement of its own: an answer that the last holder pinned while the claim waited for the row is seen.
  select json_build_object('provider', provider, 'model', model, 'promptVersion', prompt_version, 'raw', raw,
           'finishReason', finish_reason, 'promptTokens', prompt_tokens, 'completionTokens', completion_tokens)
    into v_pinned from extraction_outputs where extraction_id = extraction and status = 'pinned';

  return json_build_object(
    'claim', json_build_object('id', v_row.id, 'tenantId', v_row.tenant_id, 'userId', v_row.user_id,
      'conversationId', v_row.conversation_id, 'fromSeq', v_row.from_seq, 'toSeq', v_row.to_seq,
      'preset', v_row.preset, 'attempts', v_row.attempts, 'fence', v_row.fence,
      'lostClaims', v_row.lost_claims, 'traceparent', v_row.traceparent),
    'pinned', v_pinned,
    'messages', (
      select coalesce(json_agg(json_build_object('id', id, 'seq', seq, 'role', role, 'content', coalesce(content, ''),
               'name', name, 'createdAt', created_at) order by seq), '[]')
        from messages where tenant_id = tenant and conversation_id = v_row.conversation_id
          and seq between v_row.from_seq and v_row.to_seq and not superseded),
    'known', case when v_pinned is null and known_limit > 0 then (
      select coalesce(json_agg(json_build_object('id', id, 'kind', kind, 'category', category, 'key', key,
               'value', value, 'content', content, 'question', question, 'statedAt', stated_at)
               order by stated_at desc, id desc), '[]')
        from (select * from memories where tenant_id = tenant and user_id = v_row.user_id and is_current
                and (expires_at is null or expires_at > now())
              order by stated_at desc, id desc limit known_limit) as recent) else '[]' end);
end $$;

-- Waits for, and keeps until the end of the transaction, the right to change this user's memories.
create function lock_user_memories(tenant uuid, owner text) returns void language sql as $$
  select pg_advisory_xact_lock(hashtextextended('factmill.memories ' || tenant::text || ' ' || owner, 0))
$$;

-- Memories that new ones could replace or repeat: current ones with the same key or question, and current or
-- superseded ones with the same text. Uses memories_key_key, memories_subject_key and memories_content_idx.
create function matching_memory_ids(
  tenant uuid, owner text, keys text[], content_hashes bytea[], subject_hashes bytea[]
) returns setof uuid language sql stable as $$
  select id from memories where tenant_id = tenant and user_id = owner and scope = 'global'
    and conversation_id = '' and key = any(keys) and is_current
  union
  select id from memories where tenant_id = tenant and user_id = owner and scope = 'global'
    and conversation_id = '' and subject_hash = any(subject_hashes) and is_current
  union
  select id from memories where tenant_id = tenant and user_id = owner and scope = 'global'
    and content_hash = any(content_hashes) and deleted_at is null
$$;

-- Inserts memories with their first version. One that is current already under the same key or text is left out.
create function add_memories(given jsonb, changed_by text, extraction uuid) returns uuid[]
language plpgsql as $$
declare
  v_ids uuid[];
begin
  with added as (
    insert into memories (id, tenant_id, user_id, tier, kind, category, key, value, content, question, answer,
      tags, project, topic, importance, confidence, source, source_context, content_hash, subject_hash,
      stated_at, valid_from, valid_to, superseded_by, expires_at, last_verified_at, extraction_id, message_ids,
      metadata, embedding_pending_since)
    select n.id, n.tenant_id, n.user_id, n.tier, n.kind, n.category, n.key, n.value, n.content, n.question,
      n.answer, n.tags, n.project, n.topic, n.importance, n.confidence, n.source, n.source_context,
      decode(n.content_hash, 'hex'), decode(n.subject_hash, 'hex'), n.stated_at, n.valid_from, n.valid_to,
      n.superseded_by, n.expires_at, now(), extraction, n.message_ids, n.metadata,
      case when n.wants_embedding then now() end
    from jsonb_to_recordset(given) as n (id uuid, tenant_id uuid, user_id text, tier smallint, kind text,
      category text, key text, value text, content text, question text, answer text, tags text[],
      project text, topic text, importance real, confidence smallint, source text, source_context text,
      content_hash text, subject_hash text, stated_at timestamptz, valid_from timestamptz, valid_to timestamptz,
      superseded_by uuid, expires_at timestamptz, message_ids text[], metadata jsonb, wants_embedding boolean)
    on conflict do nothing
    returning *
  ), versions as (
    insert into memory_versions (memory_id, number, tenant_id, user_id, operation, after, actor, extraction_id)
    select id, 1, tenant_id, user_id, 'ADD', to_jsonb(added) - 'search_text', changed_by, extraction from added
  )
  select coalesce(array_agg(id), '{}') into v_ids from added;
  return v_ids;
end $$;

-- Ends an extraction as done and moves the conversation's mark. False, and nothing done, when the fence is not the
-- latest. apply_ms is the time since the transaction began.
create function finish_extraction(extraction uuid, claim_fence integer, outcome jsonb) returns boolean
language plpgsql as $$
declare
  v_row extractions;
begin
  update extractions
    set state = 'done', attempts = attempts + 1, lease_until = null, next_attempt_at = null,
        finished_at = clock_timestamp(), error_class = null, error_message = null,
        added = (outcome->>'added')::integer, updated = (outcome->>'updated')::integer,
        deleted = (outcome->>'deleted')::integer, unchanged = (outcome->>'unchanged')::integer,
        rejected = (outcome->>'rejected')::integer,
        memory_ids = array(select jsonb_array_elements_text(outcome->'memoryIds')::uuid),
        degraded = outcome->>'degraded', embed_ms = (outcome->>'embedMs')::integer,
        apply_ms = (extract(epoch from clock_timestamp() - now()) * 1000)::integer
    where id = extraction and fence = claim_fence and state = 'active'
    returning * into v_row;
  if not found then
    return false;
  end if;
  update conversations set extracted_at = now(), extracted_seq = greatest(extracted_seq, v_row.to_seq)
    where tenant_id = v_row.tenant_id and id = v_row.conversation_id;
  return true;
end $$;

-- apply_new_memories(extraction, claim_fence, given, changed_by, embedding_model, embedded_ids, vectors, outcome) -> text
--
-- The common case of an apply in one statement, which is its own transaction: nothing that the user has matches what
-- is given. Checks the fence, takes the user's lock, and under it stores memories, versions and vectors, and ends the
-- extraction. Does all of it, or nothing and says why: 'fenced', or 'known' when something matches and has to be
-- compared with what is given.
create function apply_new_memories(
  extraction uuid, claim_fence integer, given jsonb, changed_by text, embedding_model text, embedded_ids uuid[],
  vectors text[], outcome jsonb
) returns text language plpgsql as $$
declare
  v_row extractions;
  v_keys text[];
  v_content_hashes bytea[];
  v_subject_hashes bytea[];
begin
  select * into v_row from extractions
    where id = extraction and fence = claim_fence and state = 'active' for update;
  if not found then
    return 'fenced';
  end if;
  if jsonb_array_length(given) > 0 then
    perform lock_user_memories(v_row.tenant_id, v_row.user_id);
    select array_agg(m->>'key'), array_agg(decode(m->>'content_hash', 'hex')),
           array_agg(decode(m->>'subject_hash', 'hex'))
      into v_keys, v_content_hashes, v_subject_hashes from jsonb_array_elements(given) as m;
    if exists (select from matching_memory_ids(
        v_row.tenant_id, v_row.user_id, v_keys, v_content_hashes, v_subject_hashes)) then
      return 'known';
    end if;
    if cardinality(add_memories(given, changed_by, extraction)) < jsonb_array_length(given) then
      raise exception 'two of the memories are one' using errcode = 'serialization_failure';
    end if;
    insert into memory_embeddings (memory_id, model, tenant_id, user_id, content_hash, embedding)
    select e.memory_id, embedding_model, v_row.tenant_id, v_row.user_id, decode(m->>'content_hash', 'hex'),
           e.vector::halfvec
      from unnest(embedded_ids, vectors) as e (memory_id, vector)
      join jsonb_array_elements(given) as m on (m->>'id')::uuid = e.memory_id;
  end if;
  perform finish_extraction(extraction, claim_fence, outcome);
  return 'applied';
end $$;
