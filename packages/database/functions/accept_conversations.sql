-- Accepts what clients sent, exactly once, in one round trip: conversations, messages and extractions commit together,
-- and so does everything that the queue limits push out.
-- requests: an array, handled as if its items came alone and in order (the drops are those of the whole call). Absent
--   keys are null or empty.
--     { tenant_id, user_id | null, fallback_user_id, conversation_id, project, title, policy, metadata,
--       messages: [{ id, role, content, name, tool_calls, tool_call_id, channel, sender, created_at,
--         token_estimate }],
--       has_caller_ids, user_turns, tokens, has_reply, extract: 'now' | 'auto' | 'never', extraction_id, trigger,
--       preset | null, extraction_metadata, traceparent, idempotency_key | null, request_sha256, regenerated,
--       reply_to, turn_accepted_at }
--   user_turns, tokens and has_reply sum up the messages, so that the common case need not.
-- queue_limit, tenant_queue_limit: most extractions that wait and have never started, of all tenants and of one; 0 for
--   no limit.
-- schedule: what the deployment does, the same for all conversations:
--     { preset, presets: { name: trigger }, daily_flush_at: 'HH:MM', time_zone, stale_after_s }
--   A trigger: { scope: 'incremental' | 'ephemeral', reads_replies, min_turns, max_turns, quiet_gap_s, idle_timeout_s,
--   token_cap, daily_flush }. Absent or 0 means off; without any rule whatever a user said is due at once.
-- Result:
--     { begun: { place: whether an extraction was scheduled },
--       others: { place: { status: 'accepted' | 'replayed' | 'unknown_user' | 'idempotency_conflict' |
--         'user_mismatch' | 'message_conflict' | 'turn_deleted' | 'memory_off', user_id, conversation_id, message_ids,
--         conflicts,
--         extraction: { id, state, enqueue, part_ids } | null } },
--       dropped: [{ id, tenant_id, generation }], accepted_at }
--   A place is the number of the request, from 1. begun are new conversations, accepted as they were sent. part_ids are
--   the extractions in their order when there are several; the last one has the given id.
-- For a user whose memory is off nothing is stored (memory_off). Where neither a request nor its conversation has a
-- preset, that of the user counts, then that of the tenant, then that of the schedule.
-- Guarantees: message ids that are known in the conversation are not stored again, and a repeated post does not
-- supersede what it brought the first time. Ranges of extractions of one conversation never overlap (the conversation's
-- row is locked). With a limit, calls are serialised by an advisory lock, so that the number of extractions that wait
-- and have never started is at most the limit when the transaction commits. Extractions that have started are never
-- dropped. A call that loses to a concurrent one (40001, 40P01) has done nothing and can be run again.
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
  return jsonb_build_object('begun', v_begun, 'others', v_others, 'dropped', v_dropped, 'accepted_at', now());
end $$;
