-- Ends the validity of what rules kept in a user's own words of an extraction that a model has read since, unless it
-- has been stated again. reader: the extraction. Result: how many memories that are.
create or replace function retire_own_words(reader extractions) returns integer language plpgsql as $$
declare
  v_count integer;
begin
  if not exists (
    select from (select * from memories where extraction_id = reader.id and tenant_id = reader.tenant_id offset 0) as m
      where m.is_current and m.source = 'own_words' and not m.id = any(reader.memory_ids)
  ) or not exists (
    select from extraction_outputs o
      where o.extraction_id = reader.id and o.tenant_id = reader.tenant_id and o.status = 'pinned' and o.provider <> 'extractive'
  ) then
    return 0;
  end if;
  perform lock_user_memories(reader.tenant_id, reader.user_id);
  with changed as (
    update memories m
      set valid_to = greatest(now(), m.valid_from), updated_at = now(), embedding_pending_since = null
      where m.tenant_id = reader.tenant_id and m.user_id = reader.user_id and m.is_current
        and m.extraction_id = reader.id and m.source = 'own_words' and not m.id = any(reader.memory_ids)
        and m.last_verified_at is not distinct from m.created_at
      returning m.*
  ), versions as (
    insert into memory_versions (memory_id, number, tenant_id, user_id, operation, before, after, actor, extraction_id)
    select changed.id,
           coalesce((select v.number from memory_versions v where v.memory_id = changed.id
             and v.tenant_id = changed.tenant_id order by v.number desc limit 1), 0) + 1,
           changed.tenant_id, changed.user_id, 'SUPERSEDE', to_jsonb(before) - 'search_text',
           to_jsonb(changed) - 'search_text', 'extraction', reader.id
      from changed join memories before on before.id = changed.id and before.tenant_id = changed.tenant_id
  )
  select count(*) into v_count from changed;
  return v_count;
end $$;
