-- Makes a model whose vectors are built the active one; the model before it is retired and keeps its vectors.
-- model_id: the model. Result: false when there is no build of it, because another process was faster or it is retired.
create or replace function activate_embedding_model(model_id text) returns boolean language plpgsql as $$
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
