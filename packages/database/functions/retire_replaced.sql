-- Ends the validity of what an earlier extraction took from nothing but replies that have been regenerated since,
-- unless it has been stated again. successor: the extraction of the new reply. Result: how many memories that are.
create or replace function retire_replaced(successor extractions) returns integer language plpgsql as $$
declare
  v_count integer;
begin
  perform lock_user_memories(successor.tenant_id, successor.user_id);
  with changed as (
    update memories m
      set valid_to = greatest(now(), m.valid_from), updated_at = now(), embedding_pending_since = null
      where m.tenant_id = successor.tenant_id and m.user_id = successor.user_id and m.is_current
        and m.extraction_id in (
          select id from extractions e where e.tenant_id = successor.tenant_id
            and e.conversation_id = successor.conversation_id and e.to_seq >= successor.replaces_from_seq)
        and not m.id = any(successor.memory_ids) and m.last_verified_at is not distinct from m.created_at
        and rests_on_replaced(m.message_ids, successor.tenant_id, successor.conversation_id)
      returning m.*
  ), versions as (
    insert into memory_versions (memory_id, number, tenant_id, user_id, operation, before, after, actor, extraction_id)
    select changed.id,
           coalesce((select v.number from memory_versions v where v.memory_id = changed.id
             and v.tenant_id = changed.tenant_id order by v.number desc limit 1), 0) + 1,
           changed.tenant_id, changed.user_id, 'SUPERSEDE', to_jsonb(before) - 'search_text',
           to_jsonb(changed) - 'search_text', 'extraction', successor.id
      from changed join memories before on before.id = changed.id and before.tenant_id = changed.tenant_id
  )
  select count(*) into v_count from changed;
  return v_count;
end $$;
