-- Archives the current memories of a conversation beyond the last stated, with a version each. The caller holds the
-- user's lock.
-- tenant, owner, conversation: whose. keep: how many stay. changed_by, extraction: for the versions. Result: how many
-- were archived.
-- Reads the user's current memories by memories_stated_idx and looks up the extraction of each: as a join, on a
-- database without statistics, it would read all of the conversation's extractions for each memory.
create or replace function archive_oldest_entries(
  tenant uuid, owner text, conversation text, keep integer, changed_by text, extraction uuid
) returns integer language plpgsql as $$
declare
  v_count integer;
begin
  with beyond as (
    select m.id from memories m
      where m.tenant_id = tenant and m.user_id = owner and m.is_current
        and (select e.conversation_id from extractions e where e.id = m.extraction_id) = conversation
      order by m.stated_at desc, m.id desc offset keep
  ), changed as (
    update memories m set archived_at = now(), updated_at = now(), embedding_pending_since = null
      from beyond where m.id = beyond.id and m.is_current returning m.*
  ), versions as (
    insert into memory_versions (memory_id, number, tenant_id, user_id, operation, before, after, actor, extraction_id)
    select changed.id,
           (select coalesce(max(v.number), 0) + 1 from memory_versions v where v.memory_id = changed.id),
           changed.tenant_id, changed.user_id, 'ARCHIVE', to_jsonb(before) - 'search_text',
           to_jsonb(changed) - 'search_text', changed_by, extraction
      from changed join memories before on before.id = changed.id
  )
  select count(*) into v_count from changed;
  return v_count;
end $$;
