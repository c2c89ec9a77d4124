-- Applies an extraction in one statement when nothing that the user has matches what is given, which is the common
-- case. Checks the fence, takes the user's lock, and under it stores memories, versions and vectors and ends the
-- extraction.
-- extraction, claim_fence: the claim. given, changed_by: as in add_memories.
-- embedding_model, embedded_ids, new_vectors: the vectors of the memories that have one. vectors: the same as text, from
-- processes of the version before.
-- outcome: as in finish_extraction. near_distance: how near a memory is taken for known; null: never.
-- tenant: whose extraction; null from processes of the version before.
-- Result: 'applied'; or, with nothing done, 'fenced' (another claim is newer) or 'known' (something matches, or lies
-- within near_distance, and has to be compared with what is given).
create or replace function apply_new_memories(
  extraction uuid, claim_fence integer, given jsonb, changed_by text, embedding_model text, embedded_ids uuid[],
  vectors text[], outcome jsonb, near_distance float8 default null, new_vectors halfvec[] default null,
  tenant uuid default null
) returns text language plpgsql as $$
declare
  v_tenant constant uuid := coalesce(tenant, (select tenant_id from extractions where id = extraction));
  v_row extractions;
  v_vectors constant halfvec[] := coalesce(new_vectors, vectors::halfvec[]);
  v_keys text[];
  v_content_hashes bytea[];
  v_subject_hashes bytea[];
  -- All of them are kept for the same one.
  v_conversation text := coalesce(given->0->>'conversation_id', '');
begin
  select * into v_row from extractions
    where id = extraction and tenant_id = v_tenant and fence = claim_fence and state = 'active' for update;
  if not found then
    return 'fenced';
  end if;
  if jsonb_array_length(given) > 0 then
    perform lock_user_memories(v_row.tenant_id, v_row.user_id);
    select array_agg(m->>'key'), array_agg(decode(m->>'content_hash', 'hex')),
           array_agg(decode(m->>'subject_hash', 'hex'))
      into v_keys, v_content_hashes, v_subject_hashes from jsonb_array_elements(given) as m;
    if exists (select from matching_memory_ids(
        v_row.tenant_id, v_row.user_id, v_keys, v_content_hashes, v_subject_hashes, v_conversation)) then
      return 'known';
    end if;
    if near_distance is not null and cardinality(v_vectors) > 0 and exists (select from near_vectors(
        v_row.tenant_id, v_row.user_id, embedding_model, v_vectors, near_distance, 1, v_conversation)) then
      return 'known';
    end if;
    if cardinality(add_memories(given, changed_by, extraction)) < jsonb_array_length(given) then
      raise exception 'two of the memories are one' using errcode = 'serialization_failure';
    end if;
    insert into memory_embeddings (memory_id, model, tenant_id, user_id, content_hash, embedding)
    select e.memory_id, embedding_model, v_row.tenant_id, v_row.user_id, decode(m->>'content_hash', 'hex'),
           e.vector
      from unnest(embedded_ids, v_vectors) as e (memory_id, vector)
      join jsonb_array_elements(given) as m on (m->>'id')::uuid = e.memory_id;
  end if;
  perform finish_extraction(extraction, claim_fence, outcome, v_tenant);
  return 'applied';
end $$;
