-- Writes the events of extractions that have just ended, in the transaction that ended them.
-- ended, tenants: the extractions, and the tenant of each; null from processes of the version before.
create or replace function note_extraction_events(ended uuid[], tenants uuid[] default null) returns void
language plpgsql as $$
declare
  v_tenants constant uuid[] := coalesce(tenants, array(
    select (select tenant_id from extractions where id = given.id) from unnest(ended) with ordinality as given (id, place)
      order by place));
begin
  with place as materialized (select event_watermark() as watermark)
  insert into events (tenant_id, watermark, type, user_id, data)
  select tenant_id, place.watermark, 'extraction.' || state, user_id,
         jsonb_build_object('extraction_id', id, 'conversation_id', conversation_id) || case state
           when 'done' then jsonb_build_object('counts', jsonb_build_object('added', added, 'updated', updated,
             'deleted', deleted, 'unchanged', unchanged, 'rejected', rejected))
           when 'failed' then jsonb_build_object('error_class', error_class)
           else jsonb_build_object('reason', reason) end
    from unnest(ended, v_tenants) as given (ended_id, of_tenant)
    cross join lateral (select * from extractions where id = ended_id and tenant_id = of_tenant offset 0) as e
    cross join place
    where state in ('done', 'failed', 'dropped') order by accepted_no;
end $$;
