-- Does what follows when an extraction has just ended, in the transaction that ended it.
-- extraction: the extraction. Result: the extraction of its conversation that can start now, or null.
-- tenant: whose extraction; null from processes of the version before.
-- VOLATILE, so that it sees what was committed before it is called.
create or replace function conclude_extraction(extraction uuid, tenant uuid default null) returns uuid language plpgsql as $$
declare
  v_tenant constant uuid := coalesce(tenant, (select tenant_id from extractions where id = extraction));
  v_row extractions;
  v_next extractions;
  v_retired integer := 0;
begin
  select * into v_row from extractions where id = extraction and tenant_id = v_tenant;
  if v_row.state = 'done' then
    if v_row.replaces_from_seq is not null then
      v_retired := retire_replaced(v_row);
    end if;
    v_retired := v_retired + retire_own_words(v_row);
    if v_retired > 0 then
      update extractions set deleted = deleted + v_retired where id = extraction and tenant_id = v_tenant;
    end if;
  end if;
  perform note_extraction_events(array[extraction], array[v_tenant]);
  select * into v_next from next_extraction(v_row.tenant_id, v_row.conversation_id);
  return case when v_next.state = 'pending' and coalesce(v_next.next_attempt_at <= clock_timestamp(), true)
    then v_next.id end;
end $$;
