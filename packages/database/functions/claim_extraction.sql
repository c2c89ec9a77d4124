-- Claims an extraction for a worker and brings what it works on: the pinned answer if there is one, else what the
-- user's memories stated last, without those of other conversations; the messages of its range; whether the user has
-- documents.
-- tenant, extraction: which one. worker, lease_ms: who claims it, and for how long. known_limit: most memories.
-- model_provider: the provider that would be asked; null for rules, which are never down. probe_interval_ms: time
--   between two probes of a provider that is down.
-- Result: { claim: {…}, pinned: {…} | null, messages: […], known: […], hasDocuments }; null when there is no such
-- extraction. When it cannot be claimed, one of these, and the row is as it was but for deferred:
--   { kind: finished, state, next }: it has ended; next is the extraction that is open after it.
--   { kind: leased, retry_in_ms }: another worker holds a lease for so long.
--   { kind: blocked }: another extraction of its conversation has to end first. The worker need not ask again: whoever
--     ends that one is told of this one (conclude_extraction), because the row that blocks is locked before the answer,
--     so that its end comes wholly before the look at it or wholly after.
--   { kind: breaker_open, retry_in_ms }: its provider is down, there is no answer yet, and no probe is due.
--   { kind: last_probe, retry_in_ms }: the same, but a probe is due, and another extraction should make it.
--   { kind: deferred }: a budget of its tenant is used up, and there is no answer yet: it waits for the next period, or
--     until the budget is raised (resume_deferred).
create or replace function claim_extraction(
  tenant uuid, extraction uuid, worker text, lease_ms integer, known_limit integer,
  model_provider text, probe_interval_ms integer
) returns json language plpgsql as $$
declare
  v_row extractions;
  v_pinned json;
  v_permit jsonb;
  v_from integer;
  v_until timestamptz;
  v_reason text;
begin
  loop
    begin
      update extractions e
        set state = 'active', fence = fence + 1, lost_claims = lost_claims + (state = 'active')::integer,
            started_at = coalesce(started_at, now()), claimed_at = now(), claimed_by = worker,
            deferred_until = null, reason = null,
            lease_until = now() + lease_ms * interval '1 millisecond'
        where id = extraction and tenant_id = tenant
          -- Within coalesce, so that the row is looked up by its key and not among all that are open, and what is before
          -- it in its own conversation only.
          and coalesce(state = 'pending' or (state = 'active' and (lease_until <= now() or claimed_by = worker)), false)
          and coalesce(accepted_no <= (
            select min(o.accepted_no) from extractions o
              where o.tenant_id = e.tenant_id and o.conversation_id = e.conversation_id
                and o.state in ('pending', 'active')), true)
        returning * into v_row;
      if found then
        -- A statement of its own: an answer that the last holder pinned while the claim waited for the row is seen.
        select json_build_object('provider', provider, 'model', model, 'promptVersion', prompt_version, 'raw', raw,
                 'finishReason', finish_reason, 'promptTokens', prompt_tokens, 'completionTokens', completion_tokens)
          into v_pinned from extraction_outputs where extraction_id = extraction and tenant_id = tenant and status = 'pinned';
        if v_pinned is null and model_provider is not null then
          if exists (select from budgets where tenant_id = tenant) and exists (select from budget_exhausted(tenant)) then
            raise exception 'the budget is used up' using errcode = 'FM002';
          end if;
          v_permit := enter_provider(model_provider, probe_interval_ms, extraction);
          if v_permit ? 'wait_ms' then
            raise exception 'the breaker is open' using errcode = 'FM001';
          end if;
        end if;
        exit;
      end if;
    exception
      when unique_violation then
        -- A younger one is in work: this one was replayed.
      when sqlstate 'FM001' then
        -- The claim is undone.
        return json_build_object('retry_in_ms', (v_permit->>'wait_ms')::integer,
          'kind', case when (v_permit->>'last_probe')::boolean then 'last_probe' else 'breaker_open' end);
      when sqlstate 'FM002' then
        -- The claim is undone. Under the lock that a change of the budgets takes, so that a raise that comes just now
        -- is either seen here, or sees this one.
        perform from tenants where id = tenant for share;
        select b.until, b.reason into v_until, v_reason from budget_exhausted(tenant) b;
        continue when v_until is null;
        update extractions
          set state = 'pending', lease_until = null, claimed_by = null, queue_checked_at = null,
              deferred_until = v_until, next_attempt_at = v_until, reason = v_reason
          where id = extraction and tenant_id = tenant
            and coalesce(state = 'pending' or (state = 'active' and (lease_until <= now() or claimed_by = worker)), false);
        return json_build_object('kind', 'deferred');
    end;
    select * into v_row from extractions where id = extraction and tenant_id = tenant;
    if not found then
      return null;
    elsif v_row.state not in ('pending', 'active') then
      return json_build_object('kind', 'finished', 'state', v_row.state,
        'next', (select id from next_extraction(tenant, v_row.conversation_id)));
    elsif v_row.state = 'active' and v_row.lease_until > now() and v_row.claimed_by is distinct from worker then
      return json_build_object('kind', 'leased',
        'retry_in_ms', (extract(epoch from v_row.lease_until - now()) * 1000)::integer);
    end if;
    perform from extractions o
      where o.tenant_id = tenant and o.conversation_id = v_row.conversation_id and o.id <> extraction
        and ((o.state in ('pending', 'active') and o.accepted_no < v_row.accepted_no) or o.state = 'active')
      order by o.accepted_no limit 1 for share;
    if found then
      return json_build_object('kind', 'blocked');
    end if;
  end loop;

  -- A regenerated reply says little without what it replies to, which is in the range of an earlier extraction.
  v_from := v_row.from_seq;
  if v_row.replaces_from_seq is not null then
    select coalesce(max(seq), v_from) into v_from from messages
      where tenant_id = tenant and conversation_id = v_row.conversation_id and role = 'user'
        and seq < v_row.replaces_from_seq;
  end if;

  return json_build_object(
    'claim', json_build_object('id', v_row.id, 'tenantId', v_row.tenant_id, 'userId', v_row.user_id,
      'conversationId', v_row.conversation_id, 'fromSeq', v_row.from_seq, 'toSeq', v_row.to_seq,
      'preset', v_row.preset, 'attempts', v_row.attempts, 'fence', v_row.fence,
      'lostClaims', v_row.lost_claims, 'traceparent', v_row.traceparent,
      'isProbe', coalesce((v_permit->>'probe')::boolean, false)),
    'pinned', v_pinned,
    'messages', (
      select coalesce(json_agg(json_build_object('id', id, 'seq', seq, 'role', role, 'content', coalesce(content, ''),
               'name', name, 'toolCalls', tool_calls, 'toolCallId', tool_call_id, 'channel', channel, 'sender', sender,
               'createdAt', created_at)
               order by seq), '[]')
        from messages where tenant_id = tenant and conversation_id = v_row.conversation_id
          and seq between v_from and v_row.to_seq and not superseded and removed_at is null),
    'known', case when v_pinned is null and known_limit > 0 then (
      select coalesce(json_agg(json_build_object('id', id, 'kind', kind, 'category', category, 'key', key,
               'value', value, 'content', content, 'question', question, 'statedAt', stated_at)
               order by stated_at desc, id desc), '[]')
        from (select * from memories where tenant_id = tenant and user_id = v_row.user_id and is_current
                and (expires_at is null or expires_at > now())
                and conversation_id in ('', v_row.conversation_id)
                -- What is about to be replaced is not known: the model is to say it again if it still holds.
                and (v_row.replaces_from_seq is null
                     or not rests_on_replaced(message_ids, tenant, v_row.conversation_id))
              order by stated_at desc, id desc limit known_limit) as recent) else '[]' end,
    'hasDocuments', exists (select from documents where tenant_id = tenant and user_id = v_row.user_id));
end $$;
