-- Finds the current memories of a user, or of all users, whose text is like one of some patterns, by
-- memories_search_text_trgm where that is there and the patterns are rare enough; as memories_with_keys.
-- tenant, owner: whose; a null owner: of all users. patterns: of LIKE, in small letters. Result: ids.
create or replace function memories_like(tenant uuid, owner text, patterns text[]) returns setof uuid
language plpgsql stable security definer rows 100 set search_path = pg_catalog, pg_temp as $$
begin
  if public.serves_tenant(tenant) is not true then
    return;
  end if;
  -- Planned for each call, because the best plan depends on how common the patterns are.
  return query execute 'select id from public.memories
      where tenant_id = $1 and ($2 is null or user_id = $2) and is_current and search_text like any ($3)'
    using tenant, owner, patterns;
end $$;
