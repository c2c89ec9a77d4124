-- Notes users of whom something is stored for the first time.
create or replace trigger conversations_note_users after insert on conversations
  referencing new table as added for each statement execute function note_users();
