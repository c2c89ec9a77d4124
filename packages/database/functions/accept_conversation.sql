-- Accepts one request of accept_conversations that needs more than the common case: a known conversation, an
-- idempotency key, an ephemeral scope, or more turns than one extraction takes.
-- r: the request. With reply_to, the id of a user turn, a regenerated reply replaces the earlier replies to that turn,
--   whatever was said since: messages that follow a user turn have ids that begin with its own and a dot. With
--   turn_accepted_at, when that turn was accepted, nothing is stored once that turn is gone: whoever deleted it, or
--   erased its user, would get the reply instead.
-- schedule: as in accept_conversations. Result: what others of accept_conversations has for the request.
create or replace function accept_conversation(r jsonb, schedule jsonb) returns jsonb
language plpgsql as $$
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
end $$;
