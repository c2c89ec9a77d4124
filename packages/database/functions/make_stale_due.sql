-- Makes due now what these users left in other conversations that have been idle for long. Rows that another
-- transaction holds are not idle.
-- tenants, users: whose, pair by pair. stale_after_s: how long is idle.
-- Locks and writes tenant by tenant.
-- The plan is made once, on a young database while the table is small: without the setting it would read all of it.
create or replace function make_stale_due(tenants uuid[], users text[], stale_after_s integer) returns void
language plpgsql set enable_seqscan = off as $$
declare
  v_tenant uuid;
  v_users text[];
begin
  for v_tenant, v_users in
    select tenant, array_agg(distinct owner) from unnest(tenants, users) as u (tenant, owner) group by tenant
      order by tenant
  loop
    update conversations c set extraction_due_at = now(), extraction_due_for = 'stale_conversation'
      from unnest(v_users) as u (owner)
      cross join lateral (
        select w.id from conversations w
          where w.tenant_id = v_tenant and w.user_id = u.owner and w.extraction_due_at is not null
            and w.extraction_due_at > now() and w.last_active_at < now() - stale_after_s * interval '1 second'
          order by w.last_active_at limit 1000 for update skip locked) as stale
      where c.tenant_id = v_tenant and c.id = stale.id;
  end loop;
end $$;
