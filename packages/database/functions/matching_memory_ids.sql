-- Finds the memories that new ones could replace or repeat, within one scope: current ones with the same key or
-- question, and current or superseded ones with the same text.
-- tenant, owner: whose. keys, content_hashes, subject_hashes: of the new ones. conversation: the scope; '' for what
-- belongs to no conversation. Result: ids.
-- Uses memories_key_key, memories_subject_key and memories_content_idx.
create or replace function matching_memory_ids(
  tenant uuid, owner text, keys text[], content_hashes bytea[], subject_hashes bytea[], conversation text default ''
) returns setof uuid language sql stable
begin atomic
  select id from memories where tenant_id = tenant and user_id = owner
    and scope = case when conversation = '' then 'global' else 'conversation' end
    and conversation_id = conversation and key = any(keys) and is_current
  union
  select id from memories where tenant_id = tenant and user_id = owner
    and scope = case when conversation = '' then 'global' else 'conversation' end
    and conversation_id = conversation and subject_hash = any(subject_hashes) and is_current
  union
  select id from memories where tenant_id = tenant and user_id = owner and conversation_id = conversation
    and content_hash = any(content_hashes) and deleted_at is null;
end;
