-- Marks the narratives of users whose memories have changed, once for each statement.
create or replace trigger memory_versions_mark_narratives after insert on memory_versions
  referencing new table as added for each statement execute function mark_narratives_stale();
