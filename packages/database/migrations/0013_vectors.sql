-- Which embedding model is in use, and the building of another one's vectors beside it.

-- state: active (searches ask it and new memories get its vectors; at most one), building (its vectors are being
-- made), retired (was active, or given up; its vectors stay until they are dropped). provider, endpoint_model and
-- endpoint_dimensions: how it is called; endpoint_sha256: of its address, so that no other endpoint is taken for it.
-- They are null for models of an earlier version until a process that has one configured says so.
alter table embedding_models
  add column state text not null default 'building',
  add column provider text,
  add column endpoint_model text,
  add column endpoint_dimensions integer,
  add column endpoint_sha256 bytea,
  add column activated_at timestamptz,
  add constraint embedding_models_state_check check (state in ('active', 'building', 'retired'));
-- Until now the model of the environment was in use: the one that was met last.
update embedding_models set state = 'retired';
update embedding_models set state = 'active', activated_at = now()
  where id = (select id from embedding_models order by created_at desc, id limit 1);
create unique index embedding_models_active_key on embedding_models (state) where state = 'active';

-- How far the building of a model's vectors has come; gone when the model is active. One worker at a time holds the
-- lease. A pass goes through all memories in id order, then through all chunks; found: vectors that were missing in
-- this pass. done and total are for people.
create table embedding_builds (
  model text constraint embedding_builds_pkey primary key
    constraint embedding_builds_model_fkey references embedding_models (id) on delete cascade,
  worker uuid,
  leased_until timestamptz,
  stage text not null default 'memories',
  position uuid not null default '00000000-0000-0000-0000-000000000000',
  pass integer not null default 1,
  pass_started_at timestamptz not null default now(),
  found integer not null default 0,
  done bigint not null default 0,
  total bigint not null default 0,
  started_at timestamptz not null default now(),
  constraint embedding_builds_stage_check check (stage in ('memories', 'chunks'))
);

-- Texts that a model does not take, so that they are not offered to it again: of a memory until its text changes.
create table embedding_refusals (
  model text not null constraint embedding_refusals_model_fkey references embedding_models (id) on delete cascade,
  memory_id uuid constraint embedding_refusals_memory_fkey references memories (id) on delete cascade,
  chunk_id uuid constraint embedding_refusals_chunk_fkey references document_chunks (id) on delete cascade,
  content_hash bytea,
  constraint embedding_refusals_subject_check check (num_nonnulls(memory_id, chunk_id) = 1)
);
create unique index embedding_refusals_memory_key on embedding_refusals (memory_id, model) where memory_id is not null;
create unique index embedding_refusals_chunk_key on embedding_refusals (chunk_id, model) where chunk_id is not null;

-- create_embedding_model(model, model_dimensions)
--
-- As before: registers a model and builds its index in one step; concurrent callers wait for each other. The first
-- model is active at once, a later one is to be built.
create or replace function create_embedding_model(model text, model_dimensions integer) returns void
language plpgsql as $$
begin
  perform pg_advisory_xact_lock(hashtext('factmill.embedding_models'));
  insert into embedding_models (id, dimensions, state, activated_at)
    select model, model_dimensions, case when a.is_first then 'active' else 'building' end,
           case when a.is_first then now() end
      from (select not exists (select from embedding_models where state = 'active') as is_first) as a
    on conflict do nothing;
  if found then
    perform create_embedding_index(model);
  end if;
end $$;

-- Builds the index of a registered model unless it is there.
create function create_embedding_index(model_id text) returns void language plpgsql as $$
begin
  execute format(
    'create index if not exists %I on memory_embeddings using hnsw ((embedding::halfvec(%s)) halfvec_cosine_ops) where model = %L',
    'memory_embeddings_hnsw_' || left(md5(model_id), 12),
    (select dimensions from embedding_models where id = model_id), model_id);
end $$;

-- Begins or goes on with the building of a model. A retired one is built again only on the operator's word (revived):
-- a process that is still configured for it must not bring it back.
create function begin_embedding_build(model_id text, revived boolean) returns void language plpgsql as $$
begin
  perform pg_advisory_xact_lock(hashtext('factmill.embedding_models'));
  update embedding_models set state = 'building' where id = model_id and state = 'retired' and revived;
  if exists (select from embedding_models where id = model_id and state = 'building') then
    perform create_embedding_index(model_id);
    insert into embedding_builds (model) values (model_id) on conflict do nothing;
  end if;
end $$;

-- Makes a model whose vectors are built the active one; the model that was is retired and keeps its vectors. False
-- when there is no build of it: somebody else was faster, or it is retired.
create function activate_embedding_model(model_id text) returns boolean language plpgsql as $$
begin
  perform pg_advisory_xact_lock(hashtext('factmill.embedding_models'));
  delete from embedding_builds where model = model_id;
  if not found then
    return false;
  end if;
  update embedding_models set state = 'retired' where state = 'active' and id <> model_id;
  update embedding_models set state = 'active', activated_at = now() where id = model_id;
  return true;
end $$;

-- Deletes up to so many vectors of a model that is not active and returns how many those were; when there are none
-- left, drops the index and has the model be retired.
create function drop_embeddings(model_id text, most integer) returns integer language plpgsql as $$
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
    execute format('drop index if exists %I', 'memory_embeddings_hnsw_' || left(md5(model_id), 12));
  end if;
  return v_dropped + v_of_chunks;
end $$;
