import {
  type Database,
  type DatabasePool,
  DEFAULT_TENANT_ID,
  registerEmbeddingModel,
  type Sql,
  toVectorText,
} from '@factmill/database';

export const DIMENSIONS = 8;
/** Of a model whose bit codes are long enough to choose by. */
export const SIGNED_DIMENSIONS = 128;

/**
 * 30,000 memories with random vectors of two models: `large` has 6,000, `medium` 2,000, 200
 * others share the rest. What each has is spread over the whole table.
 */
const FILL = `
  insert into memories (id, tenant_id, user_id, tier, kind, category, content, source, content_hash, stated_at,
    valid_from)
  select gen_random_uuid(), '${DEFAULT_TENANT_ID}',
    case when n % 15 = 0 then 'medium' when n % 5 = 1 then 'large' else 'user' || n % 200 end,
    2, 'note', 'general', 'statement ' || n, 'test', sha256(n::text::bytea), now(), now()
  from generate_series(0, 29999) as n`;
const FILL_VECTORS = `
  insert into memory_embeddings (memory_id, model, tenant_id, user_id, content_hash, embedding)
  select id, $1::text, tenant_id, user_id, content_hash,
    (select array_agg(random() - 0.5) from generate_series(1, $2::integer) where m.id is not null)::real[]::halfvec
  from memories m where $3::text is null or user_id = $3::text`;

export async function fillMemories(pool: Sql): Promise<void> {
  await pool.query(FILL);
}

/** Vectors of all for the model `tiny`, of `medium` also for `signed`. */
export async function fillVectors(pool: Sql): Promise<void> {
  await registerEmbeddingModel(pool, 'tiny', DIMENSIONS);
  await registerEmbeddingModel(pool, 'signed', SIGNED_DIMENSIONS);
  await pool.query(FILL_VECTORS, ['tiny', DIMENSIONS, null]);
  await pool.query(FILL_VECTORS, ['signed', SIGNED_DIMENSIONS, 'medium']);
}

export type StoredMemory = Partial<{
  tenantId: string;
  userId: string;
  content: string;
  key: string;
  value: string;
  category: string;
  kind: string;
  tier: number;
  tags: string[];
  project: string;
  importance: number;
  expiresAt: string;
  validFrom: string;
  validTo: string;
  archivedAt: string;
  deletedAt: string;
  vector: number[];
}>;

/** Stores one memory of any state with its vector; resolves to its id. */
export async function storeMemory(pool: Sql, memory: StoredMemory): Promise<string> {
  const { id } = await pool.one<{ id: string }>(
    `insert into memories (id, tenant_id, user_id, content, key, value, category, kind, tier, tags, project,
       importance, expires_at, valid_to, archived_at, deleted_at, source, content_hash, stated_at, valid_from)
     values (gen_random_uuid(), $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, 'test',
       sha256(gen_random_uuid()::text::bytea), now(), $16)
     returning id`,
    [
      memory.tenantId ?? DEFAULT_TENANT_ID,
      memory.userId ?? 'ann',
      memory.content ?? 'something',
      memory.key ?? null,
      memory.value ?? null,
      memory.category ?? 'general',
      memory.kind ?? 'note',
      memory.tier ?? 2,
      memory.tags ?? [],
      memory.project ?? null,
      memory.importance ?? 0.5,
      memory.expiresAt ?? null,
      memory.validTo ?? null,
      memory.archivedAt ?? null,
      memory.deletedAt ?? null,
      memory.validFrom ?? '2020-01-01',
    ],
  );
  await pool.query(
    `insert into memory_embeddings (memory_id, model, tenant_id, user_id, content_hash, embedding)
     select id, 'tiny', tenant_id, user_id, content_hash, $2::halfvec from memories where id = $1::uuid`,
    [id, toVectorText(memory.vector ?? direction(0))],
  );
  return id;
}

/** A unit vector at an angle (radians) to the first axis. */
export function direction(angle: number): number[] {
  return [Math.cos(angle), Math.sin(angle), ...Array.from({ length: DIMENSIONS - 2 }, () => 0)];
}

/** The plans of the statements that a search sends. */
export async function explainAll(
  pool: DatabasePool,
  run: (database: DatabasePool) => Promise<unknown>,
): Promise<string[]> {
  const plans: string[] = [];
  const explaining = (sql: Sql): Sql => ({
    ...sql,
    query: async (text, values) => {
      const { rows } = await sql.query<{ 'QUERY PLAN': string }>(`explain (costs off) ${text}`, values);
      plans.push(rows.map((row) => row['QUERY PLAN']).join('\n'));
      return sql.query(text, values);
    },
  });
  await run({
    ...pool,
    ...explaining(pool),
    transaction: (fn, options) => pool.transaction((tx) => fn(explaining(tx)), options),
  });
  return plans;
}

/** The indexes that a search reads, also inside of functions, by the counters of its transaction. */
export async function indexesReadBy(
  database: Database,
  run: (sql: Sql) => Promise<unknown>,
): Promise<string[]> {
  return database.transaction(async (tx) => {
    const before = await countScans(tx);
    await run(tx);
    const after = await countScans(tx);
    return [...after].filter(([name, scans]) => scans > (before.get(name) ?? 0)).map(([name]) => name);
  });
}

async function countScans(sql: Sql): Promise<Map<string, number>> {
  const { rows } = await sql.query<{ name: string; scans: number }>(
    `select relname::text as name, pg_stat_get_xact_numscans(oid)::integer as scans from pg_class
     where relkind = 'i' and relnamespace = 'public'::regnamespace order by 1`,
  );
  return new Map(rows.map(({ name, scans }) => [name, scans]));
}
