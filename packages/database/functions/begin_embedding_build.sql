-- Begins or continues the building of a model's vectors.
-- model_id: the model. revived: an operator asks. Only then is a retired model built again: a process that is still
-- configured for it must not bring it back.
create or replace function begin_embedding_build(model_id text, revived boolean) returns void language plpgsql as $$
begin
  perform pg_advisory_xact_lock(hashtext('factmill.embedding_models'));
  update embedding_models set state = 'building' where id = model_id and state = 'retired' and revived;
  if exists (select from embedding_models where id = model_id and state = 'building') then
    insert into embedding_builds (model) values (model_id) on conflict do nothing;
  end if;
end $$;
