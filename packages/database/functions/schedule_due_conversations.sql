-- Schedules the conversations that are due, the longest due first. Several callers at once take different ones, and
-- each is taken once: it is locked, and no longer due in the commit that writes its extractions. Which are due is read
-- over the tenants without a lock, twice as many as are wanted, because other callers may hold the first ones; they
-- are locked and scheduled tenant by tenant.
-- most: how many at most. queue_limit, tenant_queue_limit, schedule: as in accept_conversations; the limits hold here
-- too.
-- Result: { conversations: n, scheduled: [{ id, tenant_id, generation }], dropped: [{ id, tenant_id, generation }] }
create or replace function schedule_due_conversations(
  most integer, queue_limit integer, tenant_queue_limit integer, schedule jsonb
) returns jsonb language plpgsql as $$
declare
  v_tenant uuid;
  v_tenants uuid[] := '{}';
  v_ids text[];
  v_batch jsonb;
  v_conversations integer := 0;
  v_new jsonb;
  v_scheduled jsonb := '[]';
  v_dropped jsonb := '[]';
begin
  if not exists (select from conversations where extraction_due_at <= now()) then
    return '{"conversations": 0, "scheduled": [], "dropped": []}';
  end if;
  if queue_limit > 0 or tenant_queue_limit > 0 then
    perform pg_advisory_xact_lock(hashtext('factmill.drop_oldest'));
  end if;
  for v_tenant, v_ids in
    select tenant_id, array_agg(id order by extraction_due_at, id) from (
      select tenant_id, id, extraction_due_at from conversations where extraction_due_at <= now()
        order by extraction_due_at limit 2 * most) as due
      group by tenant_id order by min(extraction_due_at), tenant_id
  loop
    exit when v_conversations >= most;
    with due as (
      select c.* from unnest(v_ids) as given (conversation) cross join lateral (
        select * from conversations where tenant_id = v_tenant and id = given.conversation
          and extraction_due_at <= now() for update skip locked) as c
      limit most - v_conversations
    )
    select jsonb_agg(jsonb_build_object(
        'tenant_id', tenant_id, 'conversation_id', id, 'user_id', user_id, 'from_seq', scheduled_seq + 1,
        'to_seq', last_seq, 'scope', policy_in_force->'scope', 'max_turns', policy_in_force->'max_turns',
        'trigger', coalesce(extraction_due_for, 'messages'), 'preset', coalesce(own_preset, schedule->>'preset'),
        'traceparent', extraction_traceparent, 'replaces_from_seq', replaced_from_seq)
        order by extraction_due_at, id)
      into v_batch from due
      cross join lateral coalesce(policy->>'preset', preset_of(tenant_id, user_id)) as own_preset
      cross join lateral trigger_of(policy, own_preset, schedule) as policy_in_force;
    continue when v_batch is null;
    select jsonb_agg(jsonb_build_object('id', id, 'tenant_id', tenant_id, 'generation', 0) order by place)
      into v_new from schedule_extractions(v_batch) where not passed_over;
    update conversations c
      set scheduled_seq = c.last_seq, extraction_due_at = null, extraction_due_for = null,
          extraction_traceparent = null, replaced_from_seq = null
      from jsonb_to_recordset(v_batch) as b (conversation_id text)
      where c.tenant_id = v_tenant and c.id = b.conversation_id;
    v_conversations := v_conversations + jsonb_array_length(v_batch);
    v_scheduled := v_scheduled || coalesce(v_new, '[]');
    v_tenants := v_tenants || v_tenant;
  end loop;
  if v_conversations > 0 and (queue_limit > 0 or tenant_queue_limit > 0) then
    v_dropped := drop_oldest(v_tenants, queue_limit, tenant_queue_limit);
  end if;
  return jsonb_build_object('conversations', v_conversations, 'scheduled', v_scheduled, 'dropped', v_dropped);
end $$;
