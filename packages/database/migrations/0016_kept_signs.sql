-- In which transaction a vector was written: a process that has read the signs of a user's vectors once asks only for
-- those that were written since. Numbers of transactions, because they say what a snapshot has not seen; times and
-- sequences do not. Vectors of before are older than every snapshot.
alter table memory_embeddings add column written xid8 not null default '0'::xid8;
alter table memory_embeddings alter column written set default pg_current_xact_id();

create function note_embedding_written() returns trigger language plpgsql as $$
begin
  new.written := pg_current_xact_id();
  return new;
end $$;

create trigger memory_embeddings_written before update on memory_embeddings
  for each row execute function note_embedding_written();

drop index memory_embeddings_near_idx;
create index memory_embeddings_near_idx on memory_embeddings (tenant_id, user_id, model, written)
  include (memory_id, code);
