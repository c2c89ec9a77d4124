-- near_vectors with vectors as text and for no conversation, for processes of the version before.
-- requires: near_vectors
create or replace function near_memories(
  tenant uuid, owner text, embedding_model text, vectors text[], max_distance float8, most integer
) returns table (candidate integer, memory_id uuid, distance float8) language sql stable
begin atomic
  select near.candidate, near.memory_id, near.distance
    from near_vectors(tenant, owner, embedding_model, vectors::halfvec[], max_distance, most) as near;
end;
