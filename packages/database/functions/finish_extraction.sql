-- Ends an extraction as done and moves the mark of its conversation. apply_ms is the time since the transaction began.
-- extraction, claim_fence, tenant: the claim; without a tenant from processes of the version before.
-- outcome: { added, updated, deleted, unchanged, rejected, rejections, memoryIds, degraded, embedMs, answer }
--   rejections: why candidates were not stored, { reason: count }; missing without any.
--   answer: { provider, model, promptVersion, raw, finishReason, modelMs }, which is pinned only now, because it cost
--   nothing; missing when it is pinned already.
-- Result: false, with nothing done, when the fence is not the latest.
create or replace function finish_extraction(
  extraction uuid, claim_fence integer, outcome jsonb, tenant uuid default null
) returns boolean language plpgsql as $$
declare
  v_tenant constant uuid := coalesce(tenant, (select tenant_id from extractions where id = extraction));
  v_row extractions;
  v_answer constant jsonb := outcome->'answer';
begin
  update extractions
    set state = 'done', attempts = attempts + 1, lease_until = null, next_attempt_at = null,
        finished_at = clock_timestamp(), error_class = null, error_message = null,
        added = (outcome->>'added')::integer, updated = (outcome->>'updated')::integer,
        deleted = (outcome->>'deleted')::integer, unchanged = (outcome->>'unchanged')::integer,
        rejected = (outcome->>'rejected')::integer, rejections = coalesce(outcome->'rejections', rejections),
        memory_ids = array(select jsonb_array_elements_text(outcome->'memoryIds')::uuid),
        model = coalesce(v_answer->>'model', model), model_calls = model_calls + (v_answer is not null)::integer,
        model_ms = coalesce(model_ms + (v_answer->>'modelMs')::integer, model_ms, (v_answer->>'modelMs')::integer),
        degraded = outcome->>'degraded', embed_ms = (outcome->>'embedMs')::integer,
        apply_ms = (extract(epoch from clock_timestamp() - now()) * 1000)::integer
    where id = extraction and tenant_id = v_tenant and fence = claim_fence and state = 'active'
    returning * into v_row;
  if not found then
    return false;
  end if;
  if v_answer is not null then
    insert into extraction_outputs (extraction_id, number, tenant_id, status, provider, model, prompt_version, raw,
        finish_reason, purpose)
      select extraction, coalesce(max(number), 0) + 1, v_row.tenant_id, 'pinned', v_answer->>'provider',
             v_answer->>'model', v_answer->>'promptVersion', v_answer->>'raw', v_answer->>'finishReason', 'extract'
        from extraction_outputs where extraction_id = extraction and tenant_id = v_tenant;
  end if;
  update conversations set extracted_at = now(), extracted_seq = greatest(extracted_seq, v_row.to_seq)
    where tenant_id = v_row.tenant_id and id = v_row.conversation_id;
  return true;
end $$;
