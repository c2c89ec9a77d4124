-- Notes users of whom something is stored for the first time.
create or replace trigger memories_note_users after insert on memories
  referencing new table as added for each statement execute function note_users();
