-- Trigger function: writes the events of summaries that have a new version.
create or replace function note_summary_events() returns trigger language plpgsql as $$
begin
  with place as materialized (select event_watermark() as watermark)
  insert into events (tenant_id, watermark, type, user_id, data)
  select s.tenant_id, place.watermark, 'summary.updated', s.user_id,
         jsonb_build_object('conversation_id', nullif(s.conversation_id, ''), 'version', added.number)
    from added join summaries s on s.tenant_id = added.tenant_id and s.id = added.summary_id cross join place;
  return null;
end $$;
