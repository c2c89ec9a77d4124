-- Searches that cost as much as a user has, not as much as everybody has: the words and the vectors of a user lie
-- together in an index of their own.

-- Under which key a word of a user's memories is in memories_words_idx; with a null owner, under which one it is among
-- all users of the tenant. 64 bits: that two words meet is next to impossible, and what is found is compared again.
create function search_key(tenant uuid, owner text, word text) returns bigint
language sql immutable parallel safe
return hashtextextended(word, hashtextextended(coalesce(owner, ''),
  hashtextextended(tenant::text, (owner is null)::integer)));

-- The keys of all words of a memory, of its user and of its tenant. Not in quotes, so that `search_key` is found
-- whatever the search path: indexes are built and analysed under one of their own.
create function search_keys(tenant uuid, owner text, terms tsvector) returns bigint[]
language sql immutable parallel safe
return (
  select array_agg(search_key(tenant, whose.owner, word))
  from unnest(tsvector_to_array(terms)) as word cross join (values (owner), (null)) as whose (owner));

create index memories_words_idx on memories using gin (search_keys(tenant_id, user_id, search_terms)) where is_current;
drop index memories_search_terms_idx;

-- The signs of a vector's components: a hundred bits say nearly as well who is near as a hundred numbers, and lie
-- in the index, so that thousands are compared without looking at the table.
alter table memory_embeddings
  add column code bit varying not null generated always as (binary_quantize(embedding)) stored;
create index memory_embeddings_near_idx on memory_embeddings (tenant_id, user_id, model) include (memory_id, code);
drop index memory_embeddings_user_idx;
-- What no vacuum has seen yet has to be looked up in the table all the same.
alter table memory_embeddings set (autovacuum_vacuum_insert_scale_factor = 0.02);

-- The lists of what the two indexes of words have not taken in yet are read whole by every search: short ones.
alter index memories_words_idx set (gin_pending_list_limit = 128);
alter index if exists memories_search_text_trgm set (gin_pending_list_limit = 256);

-- Room beside each memory, so that counting accesses does not touch its indexes.
alter table memories set (fillfactor = 85);

-- Users with so many vectors of a model that they have an index by distance of their own: one over all users finds
-- too few of one, and slows down every write. Built and dropped by the extractors; ready_at is null while it is built.
create table embedding_indexes (
  tenant_id uuid not null constraint embedding_indexes_tenant_fkey references tenants (id) on delete cascade,
  user_id text not null,
  model text not null constraint embedding_indexes_model_fkey references embedding_models (id) on delete cascade,
  name text not null constraint embedding_indexes_name_key unique,
  vectors bigint not null,
  leased_until timestamptz not null,
  ready_at timestamptz,
  constraint embedding_indexes_pkey primary key (tenant_id, user_id, model)
);

do $$
declare
  v_model text;
begin
  for v_model in select id from embedding_models loop
    execute format('drop index if exists %I', 'memory_embeddings_hnsw_' || left(md5(v_model), 12));
  end loop;
end $$;

-- create_embedding_model(model, model_dimensions)
--
-- Registers a model; concurrent callers wait for each other. The first model is active at once, a later one is to be
-- built.
create or replace function create_embedding_model(model text, model_dimensions integer) returns void
language plpgsql as $$
begin
  perform pg_advisory_xact_lock(hashtext('factmill.embedding_models'));
  insert into embedding_models (id, dimensions, state, activated_at)
    select model, model_dimensions, case when a.is_first then 'active' else 'building' end,
           case when a.is_first then now() end
      from (select not exists (select from embedding_models where state = 'active') as is_first) as a
    on conflict do nothing;
end $$;

-- As before, without an index.
create or replace function begin_embedding_build(model_id text, revived boolean) returns void language plpgsql as $$
begin
  perform pg_advisory_xact_lock(hashtext('factmill.embedding_models'));
  update embedding_models set state = 'building' where id = model_id and state = 'retired' and revived;
  if exists (select from embedding_models where id = model_id and state = 'building') then
    insert into embedding_builds (model) values (model_id) on conflict do nothing;
  end if;
end $$;

drop function create_embedding_index(text);

-- As before; the indexes of large users follow when their vectors are gone.
create or replace function drop_embeddings(model_id text, most integer) returns integer language plpgsql as $$
declare
  v_dropped integer;
  v_of_chunks integer;
begin
  perform pg_advisory_xact_lock(hashtext('factmill.embedding_models'));
  if exists (select from embedding_models where id = model_id and state = 'active') then
    return 0;
  end if;
  delete from embedding_builds where model = model_id;
  update embedding_models set state = 'retired' where id = model_id;
  delete from memory_embeddings e where e.model = model_id and e.memory_id in (
    select memory_id from memory_embeddings where model = model_id limit most);
  get diagnostics v_dropped = row_count;
  delete from document_chunk_embeddings e where e.model = model_id and e.chunk_id in (
    select chunk_id from document_chunk_embeddings where model = model_id limit most);
  get diagnostics v_of_chunks = row_count;
  if v_dropped + v_of_chunks = 0 then
    delete from embedding_refusals where model = model_id;
  end if;
  return v_dropped + v_of_chunks;
end $$;
