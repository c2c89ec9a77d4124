-- Finds the current memories of a tenant that have one of the keys of words, by memories_words_idx. Postgres keeps
-- statements under a policy out of that index, so this runs as the owner of the tables. It says ids only: whether the
-- caller may read the rows is still up to the policy.
-- tenant, keys: whose, and of which words (search_key). Result: ids.
-- `is not distinct from` keeps the planner from reading all memories of the tenant instead.
-- requires: serves_tenant
create or replace function memories_with_keys(tenant uuid, keys bigint[]) returns setof uuid
language sql stable security definer rows 100 set enable_seqscan = off
begin atomic
  select id from memories
    where is_current and search_keys(tenant_id, user_id, search_terms) && keys
      and tenant_id is not distinct from (select tenant where serves_tenant(tenant));
end;
