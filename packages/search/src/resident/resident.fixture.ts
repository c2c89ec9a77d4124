import { DEFAULT_TENANT_ID, type Sql, toVectorText } from '@factmill/database';

export const DIMENSIONS = 128;

/** Looks random, is the same each time; -1 to 1. */
function noise(n: number, at: number): number {
  const wave = Math.sin(n * 127.1 + at * 311.7) * 43_758.545_3;
  return 2 * (wave - Math.floor(wave)) - 1;
}

/** Vector number `n` is near those whose number has the same remainder by 20. */
export const vectorOf = (n: number, own = 0.6) =>
  Array.from({ length: DIMENSIONS }, (_, at) => noise(n % 20, at) + own * noise(n + 100, at));

const COLOURS = ['red', 'green', 'blue', 'yellow', 'violet', 'ivory', 'amber'];
const THINGS = [
  'houses',
  'boat',
  'garden',
  'carpets',
  'window',
  'painting',
  'kettle',
  'lamp',
  'bridge',
  'mirror',
];
const PLACES = ['Vienna', 'Oslo', 'Well-being Street', 'Lisbon near the harbour'];
const oneOf = (list: readonly string[], n: number) => list[n % list.length] ?? '';

/** Three or four words that others have too, and one of its own. */
export const contentOf = (n: number) =>
  `The ${oneOf(COLOURS, n)} ${oneOf(THINGS, Math.floor(n / 3))} number${n} in ${oneOf(PLACES, Math.floor(n / 7))}`;

/** Stores memories with their vectors; resolves to their ids. */
export async function write(
  sql: Sql,
  userId: string,
  from: number,
  count: number,
  { withVectors = true }: Readonly<{ withVectors?: boolean }> = {},
): Promise<string[]> {
  const numbers = Array.from({ length: count }, (_, index) => from + index);
  const { rows } = await sql.query<{ id: string }>(
    `with given as (
       select * from unnest($2::text[], $3::text[]) as g (content, vector)
     ), stored as (
       insert into memories (id, tenant_id, user_id, tier, kind, category, content, source, content_hash, stated_at,
         valid_from)
       select gen_random_uuid(), $4::uuid, $1::text, 2, 'note', 'general', content, 'test', sha256(content::bytea),
         now(), now() from given
       returning id, tenant_id, user_id, content, content_hash
     ), embedded as (
       insert into memory_embeddings (memory_id, model, tenant_id, user_id, content_hash, embedding)
       select id, 'signed', tenant_id, user_id, content_hash, vector::halfvec
       from stored join given using (content) where $5::boolean
     )
     select id from stored`,
    [
      userId,
      numbers.map(contentOf),
      numbers.map((n) => toVectorText(vectorOf(n))),
      DEFAULT_TENANT_ID,
      withVectors,
    ],
  );
  return rows.map((row) => row.id);
}

/** A number below a limit that looks random and is the same each time. */
const draw = (step: number, salt: number, limit: number) =>
  Math.floor(((noise(step * 7 + salt, salt * 13 + 1) + 1) / 2) * limit) % limit;

/** Statements that change one of Ann's memories, `$1` its place in some order and `$2` a new content or vector. */
const ONE = `(select id from memories where user_id = 'ann' order by id offset $1::integer % 1000 limit 1)`;
const CHANGES: readonly Readonly<{ sql: string; value?: (n: number) => string }>[] = [
  { sql: `update memories set archived_at = now() where id = ${ONE}` },
  { sql: `update memories set archived_at = null, deleted_at = null, expires_at = null where id = ${ONE}` },
  { sql: `update memories set deleted_at = now() where id = ${ONE}` },
  { sql: `update memories set expires_at = now() - interval '1 hour' where id = ${ONE}` },
  { sql: `update memories set content = $2 where id = ${ONE}`, value: contentOf },
  { sql: `delete from memories where id = ${ONE}` },
  { sql: `update memories set tags = array[$2::text] where id = ${ONE}`, value: () => 'odd' },
  { sql: `update memories set tags = '{}', tier = 3 where id = ${ONE}` },
  {
    sql: `update memory_embeddings set embedding = $2::halfvec where memory_id = ${ONE}`,
    value: (n) => toVectorText(vectorOf(n)),
  },
  { sql: `delete from memory_embeddings where memory_id = ${ONE}` },
];

/** Changes Ann's memories again and again; after each, says what to search for. */
export async function* randomChanges(
  sql: Sql,
  count: number,
): AsyncGenerator<{ n: number; terms: string[] }> {
  for (let step = 0; step < count; step += 1) {
    const n = draw(step, 1, 3_000);
    const change = CHANGES[draw(step, 2, 2 * CHANGES.length)];
    if (change === undefined) await write(sql, 'ann', 5_000 + step, 1, { withVectors: draw(step, 3, 4) > 0 });
    else
      await sql.query(change.sql, [n, ...(change.value === undefined ? [] : [change.value(6_000 + step)])]);
    const terms = [oneOf(COLOURS, draw(step, 4, 7)), oneOf(THINGS, draw(step, 5, 10)), `number${n}`];
    yield { n, terms: terms.slice(0, 1 + draw(step, 6, 3)) };
  }
}
