-- Writes the events of memories, once for each statement.
create or replace trigger memory_versions_note_events after insert on memory_versions
  referencing new table as added for each statement execute function note_memory_events();
