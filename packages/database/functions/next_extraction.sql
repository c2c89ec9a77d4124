-- Finds the extraction that comes next in a conversation: the oldest that is open.
-- tenant, conversation: which one. Result: its row, or nulls.
create or replace function next_extraction(tenant uuid, conversation text) returns extractions language sql stable
begin atomic
  select e from extractions e
    where e.tenant_id = tenant and e.conversation_id = conversation and e.state in ('pending', 'active')
    order by e.accepted_no limit 1;
end;
