-- Memories that are kept for one conversation only, saved by hand: they are compared with each other and with none
-- of the user's others.

-- matching_memory_ids(tenant, owner, keys, content_hashes, subject_hashes, conversation) -> memory ids
--
-- As before, within one scope: a conversation, or '' for what belongs to none. Uses memories_key_key,
-- memories_subject_key and memories_content_idx.
drop function matching_memory_ids(uuid, text, text[], bytea[], bytea[]);
create function matching_memory_ids(
  tenant uuid, owner text, keys text[], content_hashes bytea[], subject_hashes bytea[], conversation text default ''
) returns setof uuid language sql stable as $$
  select id from memories where tenant_id = tenant and user_id = owner
    and scope = case when conversation = '' then 'global' else 'conversation' end
    and conversation_id = conversation and key = any(keys) and is_current
  union
  select id from memories where tenant_id = tenant and user_id = owner
    and scope = case when conversation = '' then 'global' else 'conversation' end
    and conversation_id = conversation and subject_hash = any(subject_hashes) and is_current
  union
  select id from memories where tenant_id = tenant and user_id = owner and conversation_id = conversation
    and content_hash = any(content_hashes) and deleted_at is null
$$;

-- add_memories(given, changed_by, extraction) -> ids of those that are new
--
-- As before; a memory with a conversation_id is kept for that conversation only.
create or replace function add_memories(given jsonb, changed_by text, extraction uuid) returns uuid[]
language plpgsql as $$
declare
  v_ids uuid[];
begin
  with added as (
    insert into memories (id, tenant_id, user_id, tier, kind, category, key, value, content, question, answer,
      tags, project, topic, importance, confidence, source, source_context, scope, conversation_id, content_hash,
      subject_hash, stated_at, valid_from, valid_to, superseded_by, expires_at, last_verified_at, extraction_id,
      message_ids, metadata, embedding_pending_since)
    select n.id, n.tenant_id, n.user_id, n.tier, n.kind, n.category, n.key, n.value, n.content, n.question,
      n.answer, n.tags, n.project, n.topic, n.importance, n.confidence, n.source, n.source_context,
      case when coalesce(n.conversation_id, '') = '' then 'global' else 'conversation' end,
      coalesce(n.conversation_id, ''), decode(n.content_hash, 'hex'), decode(n.subject_hash, 'hex'), n.stated_at,
      n.valid_from, n.valid_to, n.superseded_by, n.expires_at, now(), extraction, n.message_ids, n.metadata,
      case when n.wants_embedding then now() end
    from jsonb_to_recordset(given) as n (id uuid, tenant_id uuid, user_id text, tier smallint, kind text,
      category text, key text, value text, content text, question text, answer text, tags text[],
      project text, topic text, importance real, confidence smallint, source text, source_context text,
      conversation_id text, content_hash text, subject_hash text, stated_at timestamptz, valid_from timestamptz,
      valid_to timestamptz, superseded_by uuid, expires_at timestamptz, message_ids text[], metadata jsonb,
      wants_embedding boolean)
    on conflict do nothing
    returning *
  ), versions as (
    insert into memory_versions (memory_id, number, tenant_id, user_id, operation, after, actor, extraction_id)
    select id, 1, tenant_id, user_id, 'ADD', to_jsonb(added) - 'search_text', changed_by, extraction from added
  )
  select coalesce(array_agg(id), '{}') into v_ids from added;
  return v_ids;
end $$;
