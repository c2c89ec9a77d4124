-- Schedules the conversations that are due, the longest due first. Several callers at once take different ones, and
-- each is taken once: it is locked, and no longer due in the commit that writes its extractions.
-- most: how many at most. queue_limit, tenant_queue_limit, schedule: as in accept_conversations; the limits hold here
-- too.
-- Result: { conversations: n, scheduled: [{ id, tenant_id, generation }], dropped: [{ id, tenant_id, generation }] }
create or replace function schedule_due_conversations(
  most integer, queue_limit integer, tenant_queue_limit integer, schedule jsonb
) returns jsonb language plpgsql as $$
declare
  v_batch jsonb;
  v_scheduled jsonb;
  v_dropped jsonb := '[]';
begin
  if not exists (select from conversations where extraction_due_at <= now()) then
    return '{"conversations": 0, "scheduled": [], "dropped": []}';
  end if;
  if queue_limit > 0 or tenant_queue_limit > 0 then
    perform pg_advisory_xact_lock(hashtext('factmill.drop_oldest'));
  end if;
  with due as (
    select * from conversations where extraction_due_at <= now()
      order by extraction_due_at limit most for update skip locked
  )
  select jsonb_agg(jsonb_build_object(
      'tenant_id', tenant_id, 'conversation_id', id, 'user_id', user_id, 'from_seq', scheduled_seq + 1,
      'to_seq', last_seq, 'scope', policy_in_force->'scope', 'max_turns', policy_in_force->'max_turns',
      'trigger', coalesce(extraction_due_for, 'messages'), 'preset', coalesce(own_preset, schedule->>'preset'),
      'traceparent', extraction_traceparent, 'replaces_from_seq', replaced_from_seq)
      order by extraction_due_at, tenant_id, id)
    into v_batch from due
    cross join lateral coalesce(policy->>'preset', preset_of(tenant_id, user_id)) as own_preset
    cross join lateral trigger_of(policy, own_preset, schedule) as policy_in_force;
  if v_batch is null then
    return '{"conversations": 0, "scheduled": [], "dropped": []}';
  end if;
  select jsonb_agg(jsonb_build_object('id', id, 'tenant_id', tenant_id, 'generation', 0) order by place)
    into v_scheduled from schedule_extractions(v_batch) where not passed_over;
  update conversations c
    set scheduled_seq = c.last_seq, extraction_due_at = null, extraction_due_for = null,
        extraction_traceparent = null, replaced_from_seq = null
    from jsonb_to_recordset(v_batch) as b (tenant_id uuid, conversation_id text)
    where c.tenant_id = b.tenant_id and c.id = b.conversation_id;
  if queue_limit > 0 or tenant_queue_limit > 0 then
    v_dropped := drop_oldest(
      array(select distinct (value->>'tenant_id')::uuid from jsonb_array_elements(v_batch)),
      queue_limit, tenant_queue_limit);
  end if;
  return jsonb_build_object('conversations', jsonb_array_length(v_batch),
                            'scheduled', coalesce(v_scheduled, '[]'), 'dropped', v_dropped);
end $$;
