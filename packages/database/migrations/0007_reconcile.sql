-- Known context, duplicates by similarity, and decisions of a model about neighbours: what the ledger and the history
-- keep of them, and the one statement of the common apply that looks for neighbours too.

-- One extraction may ask a model for several things: the memories (extract), what was missing of a reply that broke
-- off (continue), how new memories go with those next to them (reconcile). Each answer is pinned on its own. shown:
-- what the short ids in the answer stand for (ids and hashes, no text).
alter table extraction_outputs
  add column purpose text not null default 'extract',
  add column shown jsonb,
  add constraint extraction_outputs_purpose_check check (purpose in ('extract', 'continue', 'reconcile'));
drop index extraction_outputs_pinned_key;
create unique index extraction_outputs_pinned_key on extraction_outputs (extraction_id, purpose)
  where status = 'pinned';

-- Why candidates were not stored: reason → count; null for none.
alter table extractions add column rejections jsonb;

-- Why a memory changed: newer_value, near_duplicate, reconciled, contradicted, expired; null where the operation says
-- it all.
alter table memory_versions add column cause text;

-- near_memories(tenant, owner, model, vectors, max_distance, most) -> (candidate, memory_id, distance)
--
-- For each of the vectors (by its place, from 1) the current memories of the user within the distance, nearest first,
-- at most so many. Exact and in a fixed order, so that the same input has the same result: compares with all of the
-- user's vectors (memory_embeddings_user_idx), once for each vector. `offset 0` has each text become a vector once and
-- looks up only the memories that are near; `+ 0` keeps the ordering away from the approximate index.
create function near_memories(
  tenant uuid, owner text, embedding_model text, vectors text[], max_distance float8, most integer
) returns table (candidate integer, memory_id uuid, distance float8) language sql stable as $$
  select given.place::integer, near.memory_id, near.distance
    from (select place, vector::halfvec as vector from unnest(vectors) with ordinality as v (vector, place)
            where vector is not null offset 0) as given
    cross join lateral (
      select close.memory_id, close.distance
        from (select e.memory_id, (e.embedding <=> given.vector) + 0 as distance from memory_embeddings e
                where e.tenant_id = tenant and e.user_id = owner and e.model = embedding_model
                  and (e.embedding <=> given.vector) + 0 <= max_distance offset 0) as close
        where exists (select from memories m where m.id = close.memory_id and m.is_current
          and m.scope = 'global' and m.conversation_id = '' and (m.expires_at is null or m.expires_at > now()))
        order by close.distance, close.memory_id limit most
    ) as near
$$;

-- apply_new_memories(extraction, claim_fence, given, changed_by, embedding_model, embedded_ids, vectors, outcome,
--   near_distance) -> text
--
-- As before; also 'known', with nothing done, when a current memory of the user lies within near_distance of one of
-- the vectors. Null: nothing is near.
drop function apply_new_memories(uuid, integer, jsonb, text, text, uuid[], text[], jsonb);
create function apply_new_memories(
  extraction uuid, claim_fence integer, given jsonb, changed_by text, embedding_model text, embedded_ids uuid[],
  vectors text[], outcome jsonb, near_distance float8 default null
) returns text language plpgsql as $$
declare
  v_row extractions;
  v_keys text[];
  v_content_hashes bytea[];
  v_subject_hashes bytea[];
begin
  select * into v_row from extractions
    where id = extraction and fence = claim_fence and state = 'active' for update;
  if not found then
    return 'fenced';
  end if;
  if jsonb_array_length(given) > 0 then
    perform lock_user_memories(v_row.tenant_id, v_row.user_id);
    select array_agg(m->>'key'), array_agg(decode(m->>'content_hash', 'hex')),
           array_agg(decode(m->>'subject_hash', 'hex'))
      into v_keys, v_content_hashes, v_subject_hashes from jsonb_array_elements(given) as m;
    if exists (select from matching_memory_ids(
        v_row.tenant_id, v_row.user_id, v_keys, v_content_hashes, v_subject_hashes)) then
      return 'known';
    end if;
    if near_distance is not null and cardinality(vectors) > 0 and exists (select from near_memories(
        v_row.tenant_id, v_row.user_id, embedding_model, vectors, near_distance, 1)) then
      return 'known';
    end if;
    if cardinality(add_memories(given, changed_by, extraction)) < jsonb_array_length(given) then
      raise exception 'two of the memories are one' using errcode = 'serialization_failure';
    end if;
    insert into memory_embeddings (memory_id, model, tenant_id, user_id, content_hash, embedding)
    select e.memory_id, embedding_model, v_row.tenant_id, v_row.user_id, decode(m->>'content_hash', 'hex'),
           e.vector::halfvec
      from unnest(embedded_ids, vectors) as e (memory_id, vector)
      join jsonb_array_elements(given) as m on (m->>'id')::uuid = e.memory_id;
  end if;
  perform note_rejections(extraction, outcome->'rejections');
  perform finish_extraction(extraction, claim_fence, outcome);
  return 'applied';
end $$;

-- Notes why candidates were not stored. In the transaction that ends the extraction.
create function note_rejections(extraction uuid, reasons jsonb) returns void language sql as $$
  update extractions set rejections = reasons
    where id = extraction and rejections is distinct from reasons and jsonb_typeof(reasons) = 'object'
$$;
