-- Search: full text that follows every write by itself, projects, and the memories as they were at a moment.

-- Chinese, Japanese and Korean characters stand apart, so that each is a word of its own: full text knows words only
-- by the spaces and signs around them. A pair of characters is then a phrase.
create function search_spaced(given text) returns text language sql immutable parallel safe as $$
  select case when given ~ '[\u3005\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff]'
    then regexp_replace(given, '([\u3005\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff])', ' \1 ', 'g')
    else given end
$$;

-- The words of a text, in the form in which English words are compared (`painted` as `paint`); words of other
-- languages are cut a little by the same rules, in texts and queries alike.
create function search_words(given text) returns tsvector language sql immutable parallel safe as $$
  select to_tsvector('pg_catalog.english'::regconfig, search_spaced(given))
$$;

-- What looks for a word, or for the characters of a run one after the other. Empty for a function word.
create function search_query(term text) returns tsquery language sql immutable parallel safe as $$
  select phraseto_tsquery('pg_catalog.english'::regconfig, search_spaced(term))
$$;

alter table memories add column search_terms tsvector not null generated always as (search_words(
  content || E'\n' || coalesce(key, '') || E'\n' || coalesce(value, '') || E'\n' || category)) stored;

create index memories_search_terms_idx on memories using gin (search_terms) where is_current;

-- The projects that a user's memories belong to.
create index memories_project_idx on memories (tenant_id, user_id, project) where is_current and project is not null;

-- What is computed from a memory does not belong to its versions.
create function leave_out_search_terms() returns trigger language plpgsql as $$
begin
  new.before := new.before - 'search_terms';
  new.after := new.after - 'search_terms';
  return new;
end $$;

create trigger memory_versions_leave_out_search_terms before insert on memory_versions
  for each row execute function leave_out_search_terms();

-- memories_as_of(tenant, owner, valid_at, known_at) -> memories
--
-- A user's memories (all users' with a null owner) as they were believed at a moment: in the state that their last
-- version until `known_at` left them in, of these the ones that then were neither deleted nor archived and said to be
-- valid at `valid_at`. Reads memory_versions_user_idx.
create function memories_as_of(tenant uuid, owner text, valid_at timestamptz, known_at timestamptz)
returns setof memories language sql stable as $$
  select m.* from (
    select distinct on (v.memory_id) v.after from memory_versions v
    where v.tenant_id = tenant and (owner is null or v.user_id = owner) and v.created_at <= known_at
    order by v.memory_id, v.number desc
  ) as known
  cross join lateral (select known.after->>'content' || E'\n' || coalesce(known.after->>'key', '') || E'\n' ||
    coalesce(known.after->>'value', '') || E'\n' || (known.after->>'category') as searched) as texts
  cross join lateral jsonb_populate_record(null::memories, known.after || jsonb_build_object(
    'search_text', lower(texts.searched), 'search_terms', search_words(texts.searched)::text)) as m
  where m.deleted_at is null and m.archived_at is null and m.valid_from <= valid_at
    and (m.valid_to is null or m.valid_to > valid_at) and (m.expires_at is null or m.expires_at > valid_at)
$$;
