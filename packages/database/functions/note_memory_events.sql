-- Trigger function: writes the events of memories that have a new version. Whatever changes a memory adds a version of
-- it in the same transaction, so that no writer can forget the event.
create or replace function note_memory_events() returns trigger language plpgsql as $$
begin
  with place as materialized (select event_watermark() as watermark)
  insert into events (tenant_id, watermark, type, user_id, data)
  select tenant_id, place.watermark,
         case operation when 'ADD' then 'memory.created' when 'DELETE' then 'memory.deleted'
           when 'RESTORE' then 'memory.restored' else 'memory.updated' end,
         user_id, jsonb_build_object('memory_id', memory_id, 'operation', operation, 'version', number,
           'extraction_id', extraction_id)
    from added cross join place order by memory_id, number;
  return null;
end $$;
