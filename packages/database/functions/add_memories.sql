-- Inserts memories with their first version. One that is current already under the same key or text is left out.
-- given: an array of memories, keys as the columns, hashes in hex; wants_embedding: a vector follows later.
-- changed_by, extraction: who adds them, for the versions. Result: the ids of those that are new.
create or replace function add_memories(given jsonb, changed_by text, extraction uuid) returns uuid[]
language plpgsql as $$
declare
  v_ids uuid[];
begin
  with added as (
    insert into memories (id, tenant_id, user_id, tier, kind, category, key, value, content, question, answer,
      tags, project, topic, importance, confidence, source, source_context, scope, conversation_id, content_hash,
      subject_hash, stated_at, valid_from, valid_to, superseded_by, expires_at, last_verified_at, extraction_id,
      message_ids, channel, sender, event_date, source_tokens, metadata, embedding_pending_since)
    select n.id, n.tenant_id, n.user_id, n.tier, n.kind, n.category, n.key, n.value, n.content, n.question,
      n.answer, n.tags, n.project, n.topic, n.importance, n.confidence, n.source, n.source_context,
      case when coalesce(n.conversation_id, '') = '' then 'global' else 'conversation' end,
      coalesce(n.conversation_id, ''), decode(n.content_hash, 'hex'), decode(n.subject_hash, 'hex'), n.stated_at,
      n.valid_from, n.valid_to, n.superseded_by, n.expires_at, now(), extraction, n.message_ids,
      n.channel, n.sender, n.event_date, n.source_tokens, n.metadata,
      case when n.wants_embedding then now() end
    from jsonb_to_recordset(given) as n (id uuid, tenant_id uuid, user_id text, tier smallint, kind text,
      category text, key text, value text, content text, question text, answer text, tags text[],
      project text, topic text, importance real, confidence smallint, source text, source_context text,
      conversation_id text, content_hash text, subject_hash text, stated_at timestamptz, valid_from timestamptz,
      valid_to timestamptz, superseded_by uuid, expires_at timestamptz, message_ids text[], channel text,
      sender text, event_date date, source_tokens integer, metadata jsonb, wants_embedding boolean)
    on conflict do nothing
    returning *
  ), versions as (
    insert into memory_versions (memory_id, number, tenant_id, user_id, operation, after, actor, extraction_id)
    select id, 1, tenant_id, user_id, 'ADD', to_jsonb(added) - 'search_text', changed_by, extraction from added
  )
  select coalesce(array_agg(id), '{}') into v_ids from added;
  return v_ids;
end $$;
