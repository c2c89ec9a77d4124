-- Lets extractions go on that waited for a budget, if no budget of the tenant is used up now. The caller holds the
-- tenant's row, which every deferral locks too: none is deferred by what the budgets were before.
-- tenant: which one. most: how many the result names; the sweeper finds the others.
-- Result: [{ id, tenantId, generation }] of the oldest of them.
create or replace function resume_deferred(tenant uuid, most integer) returns jsonb language plpgsql as $$
declare
  v_resumed jsonb;
begin
  if exists (select from budget_exhausted(tenant)) then
    return '[]';
  end if;
  update compression_runs set next_attempt_at = now(), queue_checked_at = null
    where tenant_id = tenant and state = 'pending' and error_class = 'budget';
  update replay_runs set deferred_until = null, reason = null, next_attempt_at = now(), queue_checked_at = null
    where tenant_id = tenant and state = 'pending' and deferred_until is not null;
  with resumed as (
    update extractions set deferred_until = null, reason = null, next_attempt_at = now(), queue_checked_at = null
      where tenant_id = tenant and state = 'pending' and deferred_until is not null
      returning id, generation, accepted_no
  )
  select coalesce(jsonb_agg(jsonb_build_object('id', id, 'tenantId', tenant, 'generation', generation)
           order by accepted_no), '[]') into v_resumed
    from (select * from resumed order by accepted_no limit most) as oldest;
  return v_resumed;
end $$;
