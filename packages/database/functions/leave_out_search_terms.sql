-- Trigger function: keeps computed columns and written out of the versions of a memory.
create or replace function leave_out_search_terms() returns trigger language plpgsql as $$
begin
  new.before := new.before - '{search_terms,written}'::text[];
  new.after := new.after - '{search_terms,written}'::text[];
  return new;
end $$;
