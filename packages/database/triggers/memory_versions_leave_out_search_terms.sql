-- Keeps what is computed from a memory out of its versions.
create or replace trigger memory_versions_leave_out_search_terms before insert on memory_versions
  for each row execute function leave_out_search_terms();
