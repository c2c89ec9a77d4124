-- Ends an extraction as failed; does nothing when the fence is not the latest.
-- extraction, claim_fence, tenant: the claim; without a tenant from processes of the version before. class, message: why. Result: the extraction that can start now, or null.
create or replace function fail_extraction(extraction uuid, claim_fence integer, class text, message text,
  tenant uuid default null) returns uuid
language plpgsql as $$
declare
  v_tenant constant uuid := coalesce(tenant, (select tenant_id from extractions where id = extraction));
begin
  update extractions
    set state = 'failed', attempts = attempts + 1, lease_until = null, next_attempt_at = null,
        finished_at = now(), error_class = class, error_message = message
    where id = extraction and tenant_id = v_tenant and fence = claim_fence and state = 'active';
  return case when found then conclude_extraction(extraction, v_tenant) end;
end $$;
