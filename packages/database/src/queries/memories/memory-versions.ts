/** The actor of a change, for the memory's history. */
export type Actor = Readonly<{ actor: string; extractionId: string | null }>;

/**
 * Adds a version of each row in `changed` (with the columns of memories); `before` has the same rows as they were
 * when the statement began. `$1` to `$3` are the operation, the actor and the extraction.
 */
export const addVersions = (
  cause: string,
) => `insert into memory_versions (memory_id, number, tenant_id, user_id,
    operation, before, after, actor, extraction_id, cause)
  select changed.id,
    coalesce((select v.number from memory_versions v
      where v.memory_id = changed.id and v.tenant_id = changed.tenant_id order by v.number desc limit 1), 0) + 1,
    changed.tenant_id, changed.user_id, $1::text, to_jsonb(before) - 'search_text',
    to_jsonb(changed) - 'search_text', $2::text, $3::uuid, ${cause}
  from changed join memories before on before.id = changed.id and before.tenant_id = changed.tenant_id`;

export const ADD_VERSIONS = addVersions('null::text');
