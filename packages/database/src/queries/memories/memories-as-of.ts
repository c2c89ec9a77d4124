/** The parameters of the two moments in a statement, with their types. */
export type AsOfPlaces = Readonly<{
  /** When the memories held. */
  validAt: string;
  /** When they were known. */
  knownAt: string;
}>;

/**
 * The memories of the user in `$2`, or of all users, of the tenant in `$1` at a moment: a relation with the columns
 * of `memories`. Memories without changes since they were added are read directly, the others from their versions
 * (memory_versions_user_idx). `not in` and `is true` make Postgres hash both lists of ids: as joins they are compared
 * pair by pair where statistics are missing.
 */
export function memoriesAsOf(userId: string | null, places: AsOfPlaces): string {
  const owned = (alias: string) =>
    `${alias}.tenant_id = $1::uuid and ${userId === null ? '$2::text is null' : `${alias}.user_id = $2::text`}`;
  const changed = `select c.memory_id from memory_versions c
      where ${owned('c')} and (c.number > 1 or c.created_at > ${places.knownAt})`;
  const searched = `known.after->>'content' || E'\\n' || coalesce(known.after->>'key', '') || E'\\n' ||
      coalesce(known.after->>'value', '') || E'\\n' || (known.after->>'category')`;
  return `(
    select m.* from memories m
    where ${owned('m')} and m.is_current and ${held(places)}
      and m.id not in (${changed})
    union all
    select m.* from (
      select distinct on (v.memory_id) v.after from memory_versions v
      where ${owned('v')} and v.created_at <= ${places.knownAt} and (v.memory_id in (${changed})) is true
      order by v.memory_id, v.number desc) as known
    cross join lateral (select ${searched} as searched) as texts
    cross join lateral jsonb_populate_record(null::memories, known.after || jsonb_build_object(
      'search_text', lower(texts.searched), 'search_terms', search_words(texts.searched)::text)) as m
    where ${held(places)})`;
}

/**
 * One memory at a moment, by its id (memory_versions_pkey), without the columns of text search. No row when it was
 * not known yet or did not hold.
 */
export function memoryAsOf(id: string, places: AsOfPlaces): string {
  return `(select m.* from (
      select v.after from memory_versions v where v.memory_id = ${id} and v.tenant_id = $1::uuid and v.created_at <= ${places.knownAt}
      order by v.number desc limit 1) as known
    cross join lateral jsonb_populate_record(null::memories, known.after) as m
    where ${held(places)})`;
}

function held({ validAt }: AsOfPlaces): string {
  return `m.deleted_at is null and m.archived_at is null and m.valid_from <= ${validAt}
      and (m.valid_to is null or m.valid_to > ${validAt})
      and (m.expires_at is null or m.expires_at > ${validAt})`;
}
