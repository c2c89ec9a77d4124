-- Accepts, in one statement for all, the requests that begin a conversation and carry neither an idempotency key nor a
-- policy (measured with
-- 25 requests: 0.06 ms each, against 0.22 ms by accept_conversation).
-- requests, schedule: as in accept_conversations. Result: { place: whether an extraction was scheduled } of what it
-- accepted. The rest, such as a second request for the same conversation, is left to accept_conversation.
create or replace function accept_new_conversations(requests jsonb, schedule jsonb) returns jsonb
language plpgsql as $$
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
end $$;
