/** What seeding needs of a database. */
type Queries = Readonly<{
  query: (text: string, values?: readonly unknown[]) => Promise<Readonly<{ rows: unknown[] }>>;
}>;

export type SeededMemories = Readonly<{
  tenantId: string;
  userId: string;
  count: number;
  /** Id of a registered embedding model. */
  model: string;
  /** A unit vector of that model: memories are more or less near to it. */
  near: readonly number[];
}>;

/** Different vectors; memories share them. */
const VECTORS = 500;
const RARE_TAGS = 1_250;

const MEMORIES = `
  insert into memories (id, tenant_id, user_id, kind, tier, tags, project, source, content, content_hash, stated_at,
    valid_from)
  select new_uuid_v7(), $1::uuid, $2::text, 'note', 2 + (n % 10 = 0)::integer, array['rare' || n % ${RARE_TAGS}],
    'project-' || n % 7, 'conversation', content, sha256(convert_to(content, 'UTF8')),
    now() - n * interval '1 minute', now() - n * interval '1 minute'
  from generate_series(1, $3::integer) as n
    cross join lateral (select 'In note ' || n || ' the user keeps a '
      || (array['red', 'green', 'blue', 'wooden', 'broken', 'borrowed', 'new'])[1 + n % 7] || ' '
      || (array['bicycle', 'kettle', 'notebook', 'lamp', 'clock', 'violin', 'camera', 'map', 'coat', 'key'])[1 + n % 10]
      || ' in the ' || (array['kitchen', 'tower', 'office', 'attic', 'hall', 'shed'])[1 + n % 6] || '.' as content) as text`;

const VERSIONS = `
  insert into memory_versions (memory_id, number, tenant_id, user_id, operation, after, actor)
  select id, 1, tenant_id, user_id, 'ADD', to_jsonb(m) - 'search_text', 'seed' from memories m
  where tenant_id = $1::uuid and user_id = $2::text`;

/** The vectors are read from their text once. */
const EMBEDDINGS = `
  with given as materialized (
    select array_agg(vector::halfvec order by place) as vectors
    from unnest($4::text[]) with ordinality as texts (vector, place)
  )
  insert into memory_embeddings (memory_id, model, tenant_id, user_id, content_hash, embedding)
  select m.id, $3::text, m.tenant_id, m.user_id, m.content_hash, given.vectors[1 + m.n % ${VECTORS}]
  from given cross join (
    select *, row_number() over (order by id) as n from memories where tenant_id = $1::uuid and user_id = $2::text
  ) as m`;

/** Word indexes are built in a fraction of the time when they are built whole. */
const WORD_INDEXES = `select indexname as name, indexdef as definition from pg_indexes
  where schemaname = current_schema() and tablename = 'memories' and indexdef like '% USING gin %'`;

/**
 * Stores memories of a user with their first versions and vectors by SQL, all the same in every run: tags `rare0` to
 * `rare1249`, seven projects, every tenth in tier 3, some that say `clock` or `tower`. Similarities to `near` go from
 * 0.95 to 0.3.
 */
export async function seedMemories(sql: Queries, seed: SeededMemories): Promise<void> {
  const owner = [seed.tenantId, seed.userId];
  const { rows } = await sql.query(WORD_INDEXES);
  const indexes = rows as { name: string; definition: string }[];
  for (const { name } of indexes) await sql.query(`drop index ${name}`);
  await sql.query(MEMORIES, [...owner, seed.count]);
  for (const { definition } of indexes) await sql.query(definition);
  await sql.query(VERSIONS, owner);
  const vectors = Array.from(
    { length: VECTORS },
    (_, index) => `[${vectorNear(seed.near, index).join(',')}]`,
  );
  await sql.query(EMBEDDINGS, [...owner, seed.model, vectors]);
}

/** A unit vector, the farther away the higher its number. */
function vectorNear(near: readonly number[], number: number): number[] {
  const share = 0.3 + (3 * number) / VECTORS;
  let state = number + 1;
  const noise = near.map(() => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32 - 0.5;
  });
  const length = Math.hypot(...noise);
  const mixed = near.map((component, index) => component + (share * (noise[index] ?? 0)) / length);
  const total = Math.hypot(...mixed);
  return mixed.map((component) => component / total);
}
