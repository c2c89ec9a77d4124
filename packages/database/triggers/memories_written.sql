-- Notes in which transaction a memory was last written: what searches look for, and what their filters ask. Not for
-- accesses, which are counted with every search.
create or replace trigger memories_written before update of
    tenant_id, user_id, content, key, value, category, kind, tier, tags, project, scope, conversation_id, extraction_id,
    expires_at, valid_to, archived_at, deleted_at
  on memories for each row execute function note_written();
