/** Which rows have a value that filters ask for, ascending: `tag:work`, `tier:2`. See `facetsOf`. */
export type Facets = ReadonlyMap<string, Uint32Array>;

/** SQL of the facets of a memory, as a text[]: what the conditions of a target (`facetsAsked`) look for. */
export function facetsOf(alias: string): string {
  return `(array['kind:' || ${alias}.kind, 'category:' || ${alias}.category, 'tier:' || ${alias}.tier,
      'scope:' || ${alias}.scope, 'of:' || ${alias}.conversation_id]
    || array(select 'tag:' || tag from unnest(${alias}.tags) as tag)
    || array(select 'project:' || ${alias}.project where ${alias}.project is not null)
    || array(select 'learned in:' || e.conversation_id from extractions e
        where e.id = ${alias}.extraction_id and e.tenant_id = ${alias}.tenant_id))`;
}

/**
 * The rows that have at least one facet of each group, as one number each, not 0; null for no groups: all rows.
 * Memories may have been changed since the index was loaded, so a statement has to filter them once more.
 */
export function findPassing(
  { size, facets }: Readonly<{ size: number; facets: Facets }>,
  groups: readonly (readonly string[])[],
): Uint8Array | null {
  if (groups.length === 0) return null;
  let passing = new Uint8Array(size).fill(1);
  for (const group of groups) {
    const next = new Uint8Array(size);
    for (const facet of group) {
      for (const row of facets.get(facet) ?? []) next[row] = passing[row] ?? 0;
    }
    passing = next;
  }
  return passing;
}

/** Of the rows that pass (null: all) those that held at a moment already. */
export function leaveOutLater(
  { begins }: Readonly<{ begins: Float64Array }>,
  passing: Uint8Array | null,
  moment: Date | undefined,
): Uint8Array | null {
  if (moment === undefined) return passing;
  const atMs = moment.getTime();
  return Uint8Array.from(begins, (begin, row) => (begin <= atMs ? (passing?.[row] ?? 1) : 0));
}

const PROJECT = 'project:';

/** The names of the projects that the memories belong to. */
export function projectsOf(facets: Facets): string[] {
  return [...facets.keys()].flatMap((facet) =>
    facet.startsWith(PROJECT) ? facet.slice(PROJECT.length) : [],
  );
}
