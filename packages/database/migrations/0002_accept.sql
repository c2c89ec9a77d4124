-- accept_conversations(requests jsonb, queue_limit int, tenant_queue_limit int) -> jsonb
--
-- Takes what a client sent, exactly once, in one round trip: conversation, messages and ledger row commit
-- together, and so does everything that the queue limit pushes out. `requests` is an array, handled as if they came
-- alone and in order (but for the drops, those of the whole call); absent keys are null or empty:
--   in:  { tenant_id, user_id | null, fallback_user_id, conversation_id, project, title, policy, metadata,
--          messages: [{id, role, content, name, tool_calls, tool_call_id, created_at, token_estimate,
--          superseding}], extract: 'now' | 'auto' | 'never', extraction_id, trigger, preset,
--          extraction_metadata, traceparent, idempotency_key | null, request_sha256, regenerated }
--   out: { begun: {place: schedules an extraction}, others: {place: { status: 'accepted' | 'replayed' |
--          'unknown_user' | 'idempotency_conflict' | 'user_mismatch', user_id, conversation_id, message_ids,
--          extraction: {id, state, enqueue} | null }}, dropped: [{id, tenant_id, generation}] }
-- A place is the request's number from 1; begun are the new conversations, accepted just as they were sent.
--
-- Guarantees: message ids already known in the conversation are not stored again, and a repeated post does not
-- supersede what it brought the first time. Ranges of extractions of one conversation never overlap (the
-- conversation row is locked). With a limit > 0 calls are serialised by an advisory lock, so the number of
-- never-started waiting rows is at most the limit when the transaction commits. Rows that have started are never
-- dropped. A call that loses to a concurrent one (40001, 40P01) has done nothing and can be run again.

create function accept_conversation(r jsonb) returns jsonb
language plpgsql as $$
declare
  v_tenant uuid := (r->>'tenant_id')::uuid;
  v_key text := r->>'idempotency_key';
  v_conversation conversations;
  v_known idempotency_keys;
  v_user text;
  v_first integer;
  v_last integer;
  v_from integer;
  v_ids jsonb;
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
  if v_conversation.id is null then
    insert into conversations (tenant_id, id, user_id, project, title, policy, metadata)
      values (v_tenant, r->>'conversation_id', v_user, r->>'project', r->>'title',
              coalesce(r->'policy', '{}'), coalesce(r->'metadata', '{}'))
      on conflict (tenant_id, id) do nothing;
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

  -- A regenerated reply replaces the assistant turns after the last user turn; posted again, it is known already
  -- and replaces nothing.
  if coalesce((r->>'regenerated')::boolean, false) and exists (
      select 1 from jsonb_array_elements_text(v_ids) as given (id) where not exists (
        select 1 from messages known where known.tenant_id = v_tenant
          and known.conversation_id = v_conversation.id and known.id = given.id)) then
    update messages set superseded = true
      where tenant_id = v_tenant and conversation_id = v_conversation.id and role = 'assistant'
        and not v_ids ? id
        and seq > (select coalesce(max(seq), 0) from messages
                   where tenant_id = v_tenant and conversation_id = v_conversation.id and role = 'user');
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
                          token_estimate, created_at)
    select v_tenant, v_conversation.id, v_conversation.last_seq + row_number() over (order by place),
           body->>'id', body->>'role', body->>'content', body->>'name',
           nullif(body->'tool_calls', 'null'), body->>'tool_call_id',
           (body->>'token_estimate')::integer, coalesce((body->>'created_at')::timestamptz, now())
      from fresh
    returning seq
  )
  select coalesce(max(seq), v_conversation.last_seq) into v_last from stored;

  v_from := v_conversation.scheduled_seq + 1;
  if r->>'extract' <> 'never' and v_last >= v_from and (r->>'extract' = 'now' or exists (
      select 1 from messages where tenant_id = v_tenant and conversation_id = v_conversation.id
        and seq between v_from and v_last and role = 'user')) then
    insert into extractions (id, tenant_id, user_id, conversation_id, from_seq, to_seq, trigger, preset,
                             metadata, traceparent)
      values ((r->>'extraction_id')::uuid, v_tenant, v_user, v_conversation.id, v_from, v_last,
              r->>'trigger', r->>'preset', coalesce(r->'extraction_metadata', '{}'), r->>'traceparent');
    v_extraction := jsonb_build_object('id', r->>'extraction_id', 'state', 'pending', 'enqueue', true);
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
        scheduled_seq = case when (v_extraction->>'enqueue')::boolean then v_last else scheduled_seq end,
        last_active_at = case when v_last > last_seq then now() else last_active_at end
    where tenant_id = v_tenant and id = v_conversation.id;

  v_answer := jsonb_build_object('user_id', v_user, 'conversation_id', v_conversation.id,
                                 'message_ids', v_ids, 'extraction', v_extraction);
  if v_key is not null then
    update idempotency_keys
      set response = case when v_extraction is null then v_answer
                          else jsonb_set(v_answer, '{extraction,enqueue}', 'false') end
      where tenant_id = v_tenant and key = v_key;
  end if;
  return v_answer || '{"status": "accepted"}';
end $$;

-- Drops what is over the limits and returns it. finished_at is the moment of the drop, not the start of a transaction
-- that may have waited for its turn. Per tenant: the oldest of that tenant. Overall: one at a time the oldest of the
-- tenant with the most waiting rows, so that a noisy tenant pays for its own noise.
create function drop_oldest(tenants_touched uuid[], queue_limit integer, tenant_queue_limit integer)
returns jsonb language plpgsql as $$
declare
  v_dropped jsonb := '[]';
  v_more jsonb;
  v_excess bigint;
begin
  if tenant_queue_limit > 0 then
    with over as (
      select w.id from unnest(tenants_touched) as t (id)
        cross join lateral (
          select e.id from extractions e
            where e.tenant_id = t.id and e.state = 'pending' and e.started_at is null
            order by e.accepted_no desc offset tenant_queue_limit) as w
    ), gone as (
      update extractions set state = 'dropped', reason = 'tenant_queue_limit', finished_at = clock_timestamp()
        where id in (select id from over) and state = 'pending' and started_at is null
        returning id, tenant_id, generation, accepted_no
    )
    select coalesce(jsonb_agg(jsonb_build_object('id', id, 'tenant_id', tenant_id,
             'generation', generation) order by accepted_no), '[]') into v_dropped from gone;
  end if;

  if queue_limit > 0 then
    select count(*) - queue_limit into v_excess
      from extractions where state = 'pending' and started_at is null;
    if v_excess > 0 then
      -- Level the largest backlogs: the row that is n-th newest of its tenant goes before any that is
      -- (n - 1)-th newest; among equals the oldest goes first.
      with ranked as (
        select id, accepted_no, row_number() over (partition by tenant_id order by accepted_no desc) as depth
          from extractions where state = 'pending' and started_at is null
      ), over as (
        select id from ranked order by depth desc, accepted_no limit v_excess
      ), gone as (
        update extractions set state = 'dropped', reason = 'queue_limit', finished_at = clock_timestamp()
          where id in (select id from over) and state = 'pending' and started_at is null
          returning id, tenant_id, generation, accepted_no
      )
      select coalesce(jsonb_agg(jsonb_build_object('id', id, 'tenant_id', tenant_id,
               'generation', generation) order by accepted_no), '[]') into v_more from gone;
      v_dropped := v_dropped || v_more;
    end if;
  end if;
  return v_dropped;
end $$;

-- The common case in one statement for all: requests that begin a conversation and carry no idempotency key
-- (measured with 25 requests: 0.06 ms each, against 0.22 ms by accept_conversation). Answers place → whether
-- it schedules an extraction for what it took; the rest, such as a second request for the same conversation, is left
-- to accept_conversation.
create function accept_new_conversations(requests jsonb) returns jsonb
language plpgsql as $$
declare
  v_taken jsonb;
begin
  with given as (
    select place, r, (r->>'tenant_id')::uuid as tenant_id, r->>'conversation_id' as conversation_id,
           coalesce(r->>'user_id', r->>'fallback_user_id') as user_id, r->'messages' as messages,
           jsonb_array_length(r->'messages') as message_count,
           r->>'extract' = 'now' or (r->>'extract' = 'auto'
             and jsonb_path_exists(r->'messages', '$[*] ? (@.role == "user")')) as extracts,
           row_number() over (partition by r->>'tenant_id', r->>'conversation_id' order by place) as nth
      from jsonb_array_elements(requests) with ordinality as e (r, place)
  ), plain as (
    select * from given where nth = 1 and message_count > 0 and user_id <> 'unknown'
      and r->>'idempotency_key' is null
  ), made as (
    insert into conversations (tenant_id, id, user_id, last_seq, scheduled_seq)
    select tenant_id, conversation_id, user_id, message_count, case when extracts then message_count else 0 end
      from plain order by tenant_id, conversation_id
    on conflict (tenant_id, id) do nothing
    returning tenant_id, id as conversation_id
  ), taken as (
    select * from plain join made using (tenant_id, conversation_id)
  ), stored as (
    insert into messages (tenant_id, conversation_id, seq, id, role, content, name, tool_calls, tool_call_id,
                          token_estimate, created_at)
    select tenant_id, conversation_id, seq, body->>'id', body->>'role', body->>'content', body->>'name',
           nullif(body->'tool_calls', 'null'), body->>'tool_call_id', (body->>'token_estimate')::integer,
           coalesce((body->>'created_at')::timestamptz, now())
      from taken cross join lateral jsonb_array_elements(messages) with ordinality as m (body, seq)
  ), scheduled as (
    insert into extractions (id, tenant_id, user_id, conversation_id, from_seq, to_seq, trigger, preset,
                             metadata, traceparent)
    select (r->>'extraction_id')::uuid, tenant_id, user_id, conversation_id, 1, message_count, r->>'trigger',
           r->>'preset', coalesce(r->'extraction_metadata', '{}'), r->>'traceparent'
      from taken where extracts order by place
  )
  select coalesce(jsonb_object_agg(place, extracts), '{}') into v_taken from taken;
  return v_taken;
end $$;

create function accept_conversations(requests jsonb, queue_limit integer, tenant_queue_limit integer)
returns jsonb language plpgsql as $$
declare
  v_request jsonb;
  v_place bigint;
  v_begun jsonb;
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
  v_begun := accept_new_conversations(requests);
  if (select count(*) from jsonb_object_keys(v_begun)) < jsonb_array_length(requests) then
    for v_request, v_place in select value, ordinality from jsonb_array_elements(requests) with ordinality loop
      continue when v_begun ? v_place::text;
      v_others := v_others || jsonb_build_object(v_place::text, accept_conversation(v_request));
    end loop;
  end if;
  if queue_limit > 0 or tenant_queue_limit > 0 then
    v_dropped := drop_oldest(
      array(select distinct (value->>'tenant_id')::uuid from jsonb_array_elements(requests)),
      queue_limit, tenant_queue_limit);
  end if;
  return jsonb_build_object('begun', v_begun, 'others', v_others, 'dropped', v_dropped);
end $$;
