-- Trigger function: notes the users of the rows that a statement has added. In one order, so that two statements with
-- the same new users do not wait for each other in a circle.
create or replace function note_users() returns trigger language plpgsql as $$
begin
  insert into public.users (tenant_id, user_id)
    select distinct tenant_id, user_id collate "C" from added order by 1, 2
    on conflict (tenant_id, user_id) do nothing;
  return null;
end $$;
