-- A message id stands for one message of its conversation. The same id with the same message stores nothing new; with
-- another one the whole request is refused, because 202 would say that something is stored which is not.

-- The ids in a request to accept_conversations that are known in their conversation with another message; null when there
-- are none. Compared are role, content, name and tool calls, and only for requests that say has_caller_ids: ids that the
-- gateway makes are random or follow from the content. created_at is not compared, because clients that try again may
-- set it anew: the first one stands. Locks the conversation, so that what is found stays true. Requests that are answered
-- for another reason (the conversation of another user, a known idempotency key) are left to accept_conversation. Uses
-- messages_id_key.
create function conflicting_messages(r jsonb) returns jsonb language plpgsql as $$
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
      where row(known.role, known.content, known.name, known.tool_calls, known.tool_call_id) is distinct from
        row(m.body->>'role', m.body->>'content', m.body->>'name', nullif(m.body->'tool_calls', 'null'),
            m.body->>'tool_call_id'));
end $$;

-- As in 0005_triggers.sql, with one more answer: { status: 'message_conflict', conflicts: [message id] }.
create or replace function accept_conversations(
  requests jsonb, queue_limit integer, tenant_queue_limit integer, schedule jsonb
) returns jsonb language plpgsql as $$
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
  return jsonb_build_object('begun', v_begun, 'others', v_others, 'dropped', v_dropped);
end $$;
