-- Schedules the conversations that are due, the longest due first. Several callers at once take different ones, and
-- each is taken once: it is locked, and no longer due in the commit that writes its extractions.
-- most: how many at most. queue_limit, tenant_queue_limit, schedule: as in accept_conversations; the limits hold here
-- too.
-- Result: { conversations: n, scheduled: [{ id, tenant_id, generation }], dropped: [{ id, tenant_id, generation }] }
-- Reads over the tenants without locks, then locks row by row and writes tenant by tenant. It reads more than most, to
-- get past rows that other callers hold.
create or replace function schedule_due_conversations(
  most integer, queue_limit integer, tenant_queue_limit integer, schedule jsonb
) returns jsonb language plpgsql set enable_sort = off as $$
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
  -- In an order, so that conversations_due_idx is used whatever the statistics say.
  perform from conversations where extraction_due_at <= now() order by extraction_due_at limit 1;
  if not found then
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
        select * from conversations c where c.tenant_id = v_tenant and c.id = v_id
          and coalesce(c.extraction_due_at <= now(), false)
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
    -- One by one: for the planner a list has 100, for which it may read all conversations of the tenant.
    for v_id in select b->>'conversation_id' from jsonb_array_elements(v_own) as b loop
      update conversations
        set scheduled_seq = last_seq, extraction_due_at = null, extraction_due_for = null,
            extraction_traceparent = null, replaced_from_seq = null
        where tenant_id = v_tenant and id = v_id;
    end loop;
  end loop;
  if queue_limit > 0 or tenant_queue_limit > 0 then
    v_dropped := drop_oldest(
      array(select distinct (b->>'tenant_id')::uuid from unnest(v_batch) as b), queue_limit, tenant_queue_limit);
  end if;
  return jsonb_build_object('conversations', cardinality(v_batch), 'scheduled', v_scheduled, 'dropped', v_dropped);
end $$;
