-- Counts the memories and the parts of turns of a tenant that have all of the keys of a word, each up to a limit; by
-- memories_words_idx and turn_parts_words_idx, as memories_with_keys.
-- tenant, keys: whose, and of which word (search_key). most: the limit. Result: both counts together.
-- requires: serves_tenant, turn_parts_with_keys
create or replace function frequency_of_keys(tenant uuid, keys bigint[], most integer) returns bigint
language sql stable security definer set enable_seqscan = off
begin atomic
  select (
    select count(*) from (
      select from memories
        where is_current and search_keys(tenant_id, user_id, search_terms) @> keys
          and tenant_id is not distinct from (select tenant where serves_tenant(tenant))
        limit most) as of_memories
  ) + (select count(*) from turn_parts_with_keys(tenant, keys, most));
end;
