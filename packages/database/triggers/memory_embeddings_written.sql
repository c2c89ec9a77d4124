-- Notes in which transaction a vector was last written.
create or replace trigger memory_embeddings_written before update on memory_embeddings
  for each row execute function note_written();
