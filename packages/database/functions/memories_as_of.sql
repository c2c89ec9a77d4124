-- Reads memories as they were believed at a moment: in the state that their last version until then left them in, and
-- of these the ones that were neither deleted nor archived and said to be valid.
-- tenant, owner: whose; with a null owner those of all users. valid_at: for when they are said to be valid. known_at:
-- the moment. Result: rows of memories.
-- Uses memory_versions_user_idx. Selects the row as a whole, not m.*: those would be the columns of today.
create or replace function memories_as_of(tenant uuid, owner text, valid_at timestamptz, known_at timestamptz)
returns setof memories language sql stable
begin atomic
  select m from (
    select distinct on (v.memory_id) v.after from memory_versions v
    where v.tenant_id = tenant and (owner is null or v.user_id = owner) and v.created_at <= known_at
    order by v.memory_id, v.number desc
  ) as known
  cross join lateral (select known.after->>'content' || E'\n' || coalesce(known.after->>'key', '') || E'\n' ||
    coalesce(known.after->>'value', '') || E'\n' || (known.after->>'category') as searched) as texts
  cross join lateral jsonb_populate_record(null::memories, known.after || jsonb_build_object(
    'search_text', lower(texts.searched), 'search_terms', search_words(texts.searched)::text)) as m
  where m.deleted_at is null and m.archived_at is null and m.valid_from <= valid_at
    and (m.valid_to is null or m.valid_to > valid_at) and (m.expires_at is null or m.expires_at > valid_at);
end;
