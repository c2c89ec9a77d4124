-- Registers an embedding model; concurrent callers wait for each other. The first model is active at once, the vectors
-- of a later one are to be built.
-- model: its id. model_dimensions: components of its vectors.
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
