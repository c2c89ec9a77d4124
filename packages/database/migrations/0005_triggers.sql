-- When and in which order the messages of conversations are extracted.

-- Order: a conversation is extracted by one extraction at a time, in the order of acceptance. The index is what keeps
-- two from being in work at once; the rest of the rule is in claim_extraction.

create index extractions_conversation_open_idx on extractions (tenant_id, conversation_id, accepted_no)
  where state in ('pending', 'active');

-- What runs side by side from before this rule: the oldest of a conversation goes on, the others are fenced off.
update extractions e
  set state = 'pending', fence = fence + 1, lease_until = null, claimed_by = null, queue_checked_at = null
  where state = 'active' and exists (
    select from extractions o where o.tenant_id = e.tenant_id and o.conversation_id = e.conversation_id
      and o.state = 'active' and o.accepted_no < e.accepted_no);
create unique index extractions_active_key on extractions (tenant_id, conversation_id) where state = 'active';

-- The extraction that comes next in a conversation: the oldest that is open, or null.
create function next_extraction(tenant uuid, conversation text) returns extractions language sql stable as $$
  select e from extractions e
    where e.tenant_id = tenant and e.conversation_id = conversation and e.state in ('pending', 'active')
    order by e.accepted_no limit 1
$$;

-- claim_extraction(tenant, extraction, worker, lease_ms, known_limit) -> json
--
-- Takes an extraction for a worker and brings what it works on: the pinned answer if there is one, else the user's
-- last stated memories (at most known_limit), and the messages of its range.
--   out: { claim: {…}, pinned: {…} | null, messages: […], known: […] }, or, when it is not to be had,
--        { state, left_ms, waits, next }; null when there is no such extraction
-- waits: another extraction of its conversation has to end first. Nobody has to ask again then: whoever ends that one
-- is told of the next (conclude_extraction), because the row that is waited for is locked before the answer, so that
-- its end comes wholly before the look at it or wholly after. next: of one that is over, what is open after it.
create or replace function claim_extraction(
  tenant uuid, extraction uuid, worker text, lease_ms integer, known_limit integer
) returns json language plpgsql as $$
declare
  v_row extractions;
  v_pinned json;
begin
  loop
    begin
      -- `is true` keeps the planner from reading all of a tenant's rows, which on a young database without statistics
      -- looks as cheap to it as the one with that id.
      update extractions e
        set state = 'active', fence = fence + 1, lost_claims = lost_claims + (state = 'active')::integer,
            started_at = coalesce(started_at, now()), claimed_at = now(), claimed_by = worker,
            lease_until = now() + lease_ms * interval '1 millisecond'
        where id = extraction and (tenant_id = tenant) is true
          and (state = 'pending' or (state = 'active' and (lease_until <= now() or claimed_by = worker)))
          and not exists (
            select from extractions o
              where o.tenant_id = e.tenant_id and o.conversation_id = e.conversation_id
                and o.state in ('pending', 'active') and o.accepted_no < e.accepted_no)
        returning * into v_row;
      exit when found;
    exception when unique_violation then
      -- A younger one is in work: this one was replayed.
    end;
    select * into v_row from extractions where id = extraction and (tenant_id = tenant) is true;
    if not found then
      return null;
    elsif v_row.state not in ('pending', 'active') then
      return json_build_object('state', v_row.state, 'waits', false,
        'next', (select id from next_extraction(tenant, v_row.conversation_id)));
    elsif v_row.state = 'active' and v_row.lease_until > now() and v_row.claimed_by is distinct from worker then
      return json_build_object('state', v_row.state, 'waits', false,
        'left_ms', (extract(epoch from v_row.lease_until - now()) * 1000)::integer);
    end if;
    perform from extractions o
      where o.tenant_id = tenant and o.conversation_id = v_row.conversation_id and o.id <> extraction
        and ((o.state in ('pending', 'active') and o.accepted_no < v_row.accepted_no) or o.state = 'active')
      order by o.accepted_no limit 1 for share;
    if found then
      return json_build_object('state', v_row.state, 'waits', true);
    end if;
  end loop;

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
               'name', name, 'toolCalls', tool_calls, 'toolCallId', tool_call_id, 'createdAt', created_at)
               order by seq), '[]')
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

-- What follows when an extraction has just ended, in the transaction that ended it. Answers the extraction of its
-- conversation that can start now, or null. VOLATILE, so that it sees what was committed before it is called.
create function conclude_extraction(extraction uuid) returns uuid language plpgsql as $$
declare
  v_row extractions;
  v_next extractions;
begin
  select * into v_row from extractions where id = extraction;
  select * into v_next from next_extraction(v_row.tenant_id, v_row.conversation_id);
  return case when v_next.state = 'pending' and coalesce(v_next.next_attempt_at <= clock_timestamp(), true)
    then v_next.id end;
end $$;

-- Ends an extraction as failed; nothing happens when the fence is not the latest. Answers what can start now.
create function fail_extraction(extraction uuid, claim_fence integer, class text, message text) returns uuid
language plpgsql as $$
begin
  update extractions
    set state = 'failed', attempts = attempts + 1, lease_until = null, next_attempt_at = null,
        finished_at = now(), error_class = class, error_message = message
    where id = extraction and fence = claim_fence and state = 'active';
  return case when found then conclude_extraction(extraction) end;
end $$;
