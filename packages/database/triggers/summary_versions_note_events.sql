-- Writes the events of summaries, once for each statement.
create or replace trigger summary_versions_note_events after insert on summary_versions
  referencing new table as added for each statement execute function note_summary_events();
