-- Searches compare bit codes: users have no HNSW indexes of their own any more.
do $$
declare
  v_index text;
begin
  for v_index in
    select indexname from pg_indexes where schemaname = current_schema() and tablename = 'memory_embeddings'
      and starts_with(indexname::text, 'memory_embeddings_of_')
  loop
    execute format('drop index %I', v_index);
  end loop;
end $$;

drop table embedding_indexes;
