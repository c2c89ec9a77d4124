-- Trigger function: audit records stay as they are. Only what retention has cut off, and has said so, may go.
create or replace function keep_audit_records() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' and exists (
      select from audit_chains where tenant_id = old.tenant_id and cut_number >= old.number) then
    return old;
  end if;
  raise exception 'audit records are neither changed nor removed' using errcode = '55000';
end $$;
