-- Has the oldest entries of a conversation leave, beyond the number that stays: its current memories, which are archived
-- with a version each, and its turns, which are not found any more. The caller holds the user's lock.
-- tenant, owner, conversation: whose. keep: how many stay. changed_by, extraction: for the versions. Result: how many
-- memories were archived.
-- A turn counts as said no earlier than those before it, so that the first ones leave first; a memory counts as later
-- than the turn that it was made from.
-- Reads the user's current memories by memories_stated_idx and looks up the extraction of each: as a join, on a
-- database without statistics, it would read all of the conversation's extractions for each memory.
create or replace function archive_oldest_entries(
  tenant uuid, owner text, conversation text, keep integer, changed_by text, extraction uuid
) returns integer language plpgsql as $$
declare
  v_memories uuid[];
  v_turn integer;
  v_count integer;
begin
  with entries as materialized (
    select m.id, null::integer as seq, m.stated_at as said_at from memories m
      where m.tenant_id = tenant and m.user_id = owner and m.is_current
        and (m.conversation_id = conversation
          or (select e.conversation_id from extractions e
            where e.id = m.extraction_id and e.tenant_id = tenant) = conversation)
    union all
    select null, t.seq, max(t.created_at) over (order by t.seq)
      from conversations c join messages t on t.tenant_id = c.tenant_id and t.conversation_id = c.id
      where c.tenant_id = tenant and c.id = conversation and t.seq > c.evicted_seq
        and t.role in ('user', 'assistant') and t.content is not null and not t.superseded
  ), beyond as (
    select id, seq from entries order by said_at desc, seq desc nulls first, id desc offset keep
  )
  select array_agg(id) filter (where id is not null), max(seq) into v_memories, v_turn from beyond;

  if v_turn is not null then
    update conversations
      set evicted_seq = greatest(evicted_seq, v_turn), indexed_seq = greatest(indexed_seq, v_turn)
      where tenant_id = tenant and id = conversation;
    delete from turn_parts p where p.tenant_id = tenant and p.conversation_id = conversation and p.seq <= v_turn;
  end if;

  with changed as (
    update memories m set archived_at = now(), updated_at = now(), embedding_pending_since = null
      where m.id = any(v_memories) and m.tenant_id = tenant and m.is_current returning m.*
  ), versions as (
    insert into memory_versions (memory_id, number, tenant_id, user_id, operation, before, after, actor, extraction_id)
    select changed.id,
           coalesce((select v.number from memory_versions v where v.memory_id = changed.id
             and v.tenant_id = changed.tenant_id order by v.number desc limit 1), 0) + 1,
           changed.tenant_id, changed.user_id, 'ARCHIVE', to_jsonb(before) - 'search_text',
           to_jsonb(changed) - 'search_text', changed_by, extraction
      from changed join memories before on before.id = changed.id and before.tenant_id = changed.tenant_id
  )
  select count(*) into v_count from changed;
  return v_count;
end $$;
