-- Trigger function: notes in which transaction a row was last written.
create or replace function note_written() returns trigger language plpgsql as $$
begin
  new.written := pg_current_xact_id();
  return new;
end $$;
