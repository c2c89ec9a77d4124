-- Takes the planner's statistics of a table, which only its owner may: for services, who own no table. Runs as the owner
-- of this function, who is that of the tables.
-- given: the table.
create or replace function analyze_table(given regclass) returns void language plpgsql
  security definer set search_path = pg_catalog, pg_temp as $$
begin
  execute format('analyze %s', given);
end $$;
