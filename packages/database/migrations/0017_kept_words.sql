-- In which transaction what a search finds of a memory was written, as memory_embeddings has it: a process that has read
-- the words of a user's memories once asks only for those that were written since. Memories of before are older than
-- every snapshot.
alter table memories add column written xid8 not null default '0'::xid8;
alter table memories alter column written set default pg_current_xact_id();

alter function note_embedding_written() rename to note_written;

-- Not of accesses, which are counted with every search.
create trigger memories_written before update of
    tenant_id, user_id, content, key, value, category, project, expires_at, valid_to, archived_at, deleted_at
  on memories for each row execute function note_written();

create index memories_written_idx on memories (tenant_id, user_id, written) where is_current;

-- Neither computed columns nor this one belong to a memory's versions.
create or replace function leave_out_search_terms() returns trigger language plpgsql as $$
begin
  new.before := new.before - '{search_terms,written}'::text[];
  new.after := new.after - '{search_terms,written}'::text[];
  return new;
end $$;
