-- Finds, for each of some vectors, the current memories of a user within a distance, nearest first. Exact and in a
-- fixed order, so that the same input has the same result.
-- tenant, owner, embedding_model: whose vectors of which model. vectors, max_distance, most: what is looked for, how
-- far, and how many for each. conversation: the one that the memories are kept for; '' for what belongs to none.
-- Result: candidate (the place of the vector, from 1), memory_id, distance.
-- Compares with all vectors of the user (memory_embeddings_near_idx), once for each given vector. `offset 0` looks up
-- only the memories that are near; `+ 0` keeps the ordering away from an approximate index.
create or replace function near_vectors(
  tenant uuid, owner text, embedding_model text, vectors halfvec[], max_distance float8, most integer,
  conversation text default ''
) returns table (candidate integer, memory_id uuid, distance float8) language sql stable
begin atomic
  select given.place::integer, near.memory_id, near.distance
    from unnest(vectors) with ordinality as given (vector, place)
    cross join lateral (
      select close.memory_id, close.distance
        from (select e.memory_id, (e.embedding <=> given.vector) + 0 as distance from memory_embeddings e
                where e.tenant_id = tenant and e.user_id = owner and e.model = embedding_model
                  and (e.embedding <=> given.vector) + 0 <= max_distance offset 0) as close
        where exists (select from (
            select is_current, conversation_id, expires_at from memories
              where id = close.memory_id and tenant_id = tenant offset 0) as m
          where m.is_current
          and m.conversation_id = conversation and (m.expires_at is null or m.expires_at > now()))
        order by close.distance, close.memory_id limit most
    ) as near
    where given.vector is not null;
end;
