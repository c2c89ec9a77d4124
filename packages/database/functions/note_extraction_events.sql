-- Writes the events of extractions that have just ended, in the transaction that ended them.
-- ended: the extractions.
create or replace function note_extraction_events(ended uuid[]) returns void language plpgsql as $$
begin
  with place as materialized (select event_watermark() as watermark)
  insert into events (tenant_id, watermark, type, user_id, data)
  select tenant_id, place.watermark, 'extraction.' || state, user_id,
         jsonb_build_object('extraction_id', id, 'conversation_id', conversation_id) || case state
           when 'done' then jsonb_build_object('counts', jsonb_build_object('added', added, 'updated', updated,
             'deleted', deleted, 'unchanged', unchanged, 'rejected', rejected))
           when 'failed' then jsonb_build_object('error_class', error_class)
           else jsonb_build_object('reason', reason) end
    from extractions cross join place
    where id = any(ended) and state in ('done', 'failed', 'dropped') order by accepted_no;
end $$;
