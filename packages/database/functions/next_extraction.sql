-- Finds the extraction that comes next in a conversation: the oldest that is open.
-- tenant, conversation: which one. Result: its row, or nulls.
create or replace function next_extraction(tenant uuid, conversation text) returns extractions language plpgsql stable as $$
declare
  v_row extractions;
begin
  select * into v_row from extractions e
    where e.tenant_id = tenant and e.conversation_id = conversation and e.state in ('pending', 'active')
    order by e.accepted_no limit 1;
  return v_row;
end $$;
