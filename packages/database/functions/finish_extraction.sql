-- Ends an extraction as done and moves the mark of its conversation. apply_ms is the time since the transaction began.
-- extraction, claim_fence: the claim.
-- outcome: { added, updated, deleted, unchanged, rejected, memoryIds, degraded, embedMs }
-- Result: false, with nothing done, when the fence is not the latest.
create or replace function finish_extraction(extraction uuid, claim_fence integer, outcome jsonb) returns boolean
language plpgsql as $$
declare
  v_row extractions;
begin
  update extractions
    set state = 'done', attempts = attempts + 1, lease_until = null, next_attempt_at = null,
        finished_at = clock_timestamp(), error_class = null, error_message = null,
        added = (outcome->>'added')::integer, updated = (outcome->>'updated')::integer,
        deleted = (outcome->>'deleted')::integer, unchanged = (outcome->>'unchanged')::integer,
        rejected = (outcome->>'rejected')::integer,
        memory_ids = array(select jsonb_array_elements_text(outcome->'memoryIds')::uuid),
        degraded = outcome->>'degraded', embed_ms = (outcome->>'embedMs')::integer,
        apply_ms = (extract(epoch from clock_timestamp() - now()) * 1000)::integer
    where id = extraction and fence = claim_fence and state = 'active'
    returning * into v_row;
  if not found then
    return false;
  end if;
  update conversations set extracted_at = now(), extracted_seq = greatest(extracted_seq, v_row.to_seq)
    where tenant_id = v_row.tenant_id and id = v_row.conversation_id;
  return true;
end $$;
