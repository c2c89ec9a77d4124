-- Finds the ids in a request that stand for another message in their conversation. A message id stands for one message:
-- the same id with another message refuses the request, because 202 would say that something is stored which is not.
-- r: a request of accept_conversations. Result: the ids, or null when there are none.
-- Looks only at requests that say has_caller_ids: ids that the gateway makes are random or follow from the content.
-- Does not compare created_at, because clients that try again may set it anew: the first one stands.
-- Leaves to accept_conversation what it answers for another reason: the conversation of another user, a known
-- idempotency key. Locks the conversation, so that the result stays true. Uses messages_id_key.
create or replace function conflicting_messages(r jsonb) returns jsonb language plpgsql as $$
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
end $$;
