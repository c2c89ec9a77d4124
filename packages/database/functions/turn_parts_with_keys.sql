-- Finds parts of turns of a tenant that have all of the keys of a word, by turn_parts_words_idx; as memories_with_keys.
-- tenant, keys: whose, and of which word (search_key). most: how many at most. Result: ids.
-- requires: serves_tenant
create or replace function turn_parts_with_keys(tenant uuid, keys bigint[], most integer) returns setof uuid
language sql stable security definer rows 100 set enable_seqscan = off
begin atomic
  select id from turn_parts
    where search_keys(tenant_id, user_id, search_terms) @> keys
      and tenant_id is not distinct from (select tenant where serves_tenant(tenant))
    limit most;
end;
