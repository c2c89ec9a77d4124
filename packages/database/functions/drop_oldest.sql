-- Drops the extractions beyond the queue limits. Per tenant: the oldest of that tenant. Overall: one at a time, the
-- oldest of the tenant with the most waiting, so that a noisy tenant pays for its own noise.
-- tenants_touched: tenants that may be over their limit. queue_limit, tenant_queue_limit: as in accept_conversations.
-- Result: [{ id, tenant_id, generation }] of what was dropped.
-- finished_at is the moment of the drop, not the start of a transaction that may have waited for its turn.
-- Reads over the tenants and drops tenant by tenant, so that each statement that writes names its tenant. Within
-- coalesce, so that rows are looked up by their keys and not among all that wait.
create or replace function drop_oldest(tenants_touched uuid[], queue_limit integer, tenant_queue_limit integer)
returns jsonb language plpgsql as $$
declare
  v_dropped jsonb := '[]';
  v_more jsonb;
  v_excess bigint;
  v_tenant uuid;
  v_ids uuid[];
begin
  if tenant_queue_limit > 0 then
    foreach v_tenant in array tenants_touched loop
      v_ids := array(
        select id from extractions
          where tenant_id = v_tenant and state = 'pending' and started_at is null
          order by accepted_no desc offset tenant_queue_limit);
      continue when cardinality(v_ids) = 0;
      with gone as (
        update extractions set state = 'dropped', reason = 'tenant_queue_limit', finished_at = clock_timestamp()
          where tenant_id = v_tenant and id = any(v_ids) and coalesce(state = 'pending' and started_at is null, false)
          returning id, tenant_id, generation, accepted_no
      )
      select coalesce(jsonb_agg(jsonb_build_object('id', id, 'tenant_id', tenant_id,
               'generation', generation) order by accepted_no), '[]') into v_more from gone;
      v_dropped := v_dropped || v_more;
    end loop;
  end if;

  if queue_limit > 0 then
    select count(*) - queue_limit into v_excess
      from extractions where state = 'pending' and started_at is null;
    if v_excess > 0 then
      -- Level the largest backlogs: the row that is n-th newest of its tenant goes before any that is
      -- (n - 1)-th newest; among equals the oldest goes first.
      for v_tenant, v_ids in
        with ranked as (
          select id, tenant_id, accepted_no, row_number() over (partition by tenant_id order by accepted_no desc) as depth
            from extractions where state = 'pending' and started_at is null
        ), over as (
          select id, tenant_id from ranked order by depth desc, accepted_no limit v_excess
        )
        select tenant_id, array_agg(id) from over group by tenant_id order by tenant_id
      loop
        with gone as (
          update extractions set state = 'dropped', reason = 'queue_limit', finished_at = clock_timestamp()
            where tenant_id = v_tenant and id = any(v_ids)
              and coalesce(state = 'pending' and started_at is null, false)
            returning id, tenant_id, generation, accepted_no
        )
        select coalesce(jsonb_agg(jsonb_build_object('id', id, 'tenant_id', tenant_id,
                 'generation', generation) order by accepted_no), '[]') into v_more from gone;
        v_dropped := v_dropped || v_more;
      end loop;
    end if;
  end if;
  for v_tenant, v_ids in
    select (value->>'tenant_id')::uuid, array_agg((value->>'id')::uuid order by ordinality)
      from jsonb_array_elements(v_dropped) with ordinality group by 1 order by 1
  loop
    perform note_extraction_events(v_ids, array_fill(v_tenant, array[cardinality(v_ids)]));
  end loop;
  return v_dropped;
end $$;
