-- Deletes vectors of a model that is not active, and retires the model.
-- model_id: the model. most: how many vectors of memories, of documents and of turns, at most of each. Result: how many
-- were deleted; with 0 there are none left.
create or replace function drop_embeddings(model_id text, most integer) returns integer language plpgsql as $$
declare
  v_dropped integer;
  v_of_chunks integer;
  v_of_turns integer;
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
  delete from turn_part_embeddings e where e.model = model_id and e.part_id in (
    select part_id from turn_part_embeddings where model = model_id limit most);
  get diagnostics v_of_turns = row_count;
  if v_dropped + v_of_chunks + v_of_turns = 0 then
    delete from embedding_refusals where model = model_id;
  end if;
  return v_dropped + v_of_chunks + v_of_turns;
end $$;
