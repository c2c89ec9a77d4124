import { candidateColumns, toHalfvec } from '@factmill/database';
import { nearestVisible, type VectorSearch } from '../channels/nearest.ts';
import { memoriesOf, type MemorySource, type SearchTarget } from '../target.ts';
import { MAX_DELTA } from './load-user-index.ts';
import type { TextPlan } from './plan-text.ts';
import type { AboutUser } from './resident-search.ts';
import type { UserIndex } from './user-index.ts';
import { toUuids } from './uuids.ts';

/** What is read: the shortlists of the two channels. */
export type ReadPlan = Readonly<{
  vector: (VectorSearch & Readonly<{ ids: Buffer }>) | null;
  text: TextPlan | null;
}>;

/** What is said once, in one of the rows. */
const ABOUT = ['delta', 'projects', 'hasTurns', 'texts', 'lexemes'] as const satisfies (keyof AboutUser)[];
/** Characters of the delta's texts that are sent along. */
const MAX_TEXTS = 100_000;

/**
 * `written_xid` of a row against the watermark. A number that is still to come is another server's, from which the row
 * was restored: it is old.
 */
const isDelta = (alias: string) =>
  `(${alias}.written >= $3::xid8 and ${alias}.written < pg_snapshot_xmax(pg_current_snapshot()))`;

/**
 * The one statement of a search through an index: the memories of the shortlists by their ids, and the delta.
 * memories_pkey, memory_embeddings_pkey, memories_written_idx, memory_embeddings_near_idx, turn_parts_user_idx.
 */
export function toStatement(index: UserIndex, target: SearchTarget, { vector, text }: ReadPlan) {
  const source = memoriesOf(target, 4, { anyUser: true });
  const values: unknown[] = [target.tenantId, target.userId, index.watermark, ...source.values];
  const bind = (value: unknown) => `$${values.push(value)}`;
  const owned = (alias: string) => `${alias}.tenant_id = $1::uuid and ${alias}.user_id = (select $2::text)`;
  // Parameters in subqueries have the same estimates in plans for any values as in those for given ones.
  const upcoming = `(select ${bind(toUuids(index.upcoming))}::uuid[])`;
  const deltas = [
    `(select unnest(${upcoming}) as id)`,
    `(select m.id from memories m where ${owned('m')} and m.is_current and ${isDelta('m')} limit ${MAX_DELTA + 1})`,
  ];
  const ctes: string[] = [];
  const hits: string[] = [];
  if (vector !== null) {
    const model = `${bind(vector.model)}::text`;
    const ids = `${bind(toUuids(vector.ids))}::uuid[]`;
    deltas.push(
      `(select e.memory_id from memory_embeddings e where ${owned('e')} and e.model = ${model} and ${isDelta('e')}
        limit ${MAX_DELTA + 1})`,
    );
    const distance = `(e.embedding <=> ${bind(toHalfvec(vector.vector))}::halfvec) + 0 as distance`;
    ctes.push(`near as materialized (
      select e.memory_id as id, ${distance}
      from unnest((select ${ids})) as given (id) cross join lateral (
        select * from memory_embeddings e
        where e.memory_id = given.id and e.model = ${model} and e.tenant_id = $1::uuid offset 0) as e
      union all
      select delta.id, ${distance} from delta cross join lateral (
        select * from memory_embeddings e
        where e.memory_id = delta.id and e.model = ${model} and e.tenant_id = $1::uuid offset 0) as e
      where delta.id not in (select unnest((select ${ids})))
    )`);
    const bounds = {
      minSimilarity: `${bind(vector.minSimilarity)}::float8`,
      limit: `${bind(vector.limit)}::integer`,
    };
    hits.push(`select by_vector.*, null::integer as terms, 0 as length
      from (${nearestVisible(source, bounds)}) as by_vector`);
  }
  if (text !== null) {
    const { own, related } = text;
    const terms = bind([...own.search.terms, ...(related?.search.terms ?? [])]);
    const ids = bind(toUuids(Buffer.concat([own.ids, related?.ids ?? Buffer.alloc(0)])));
    hits.push(...textHits(source, { terms, ids, upcoming }));
  }
  const hasWords = text?.hasUnknown === true;
  return {
    values,
    name: `search_resident_${vector === null ? '' : 'V'}${text === null ? '' : 'T'}${hasWords ? 'W' : ''}${source.variant}`,
    text: `
    with delta as materialized (${deltas.join(' union ')})${ctes.map((cte) => `, ${cte}`).join('')}
    select ${ABOUT.map((name) => `case when hits.is_first is not false then about."${name}" end as "${name}"`).join(', ')}, hits.*
    from (
      select (select count(*) from delta)::integer as delta,
        (select array_agg(m.project) from delta cross join lateral ${source.byId('delta.id')} as m
          where m.is_current and m.project is not null) as projects,
        exists (select from turn_parts p where ${owned('p')}) as "hasTurns",
        ${hasWords ? wordsOfDelta(source) : 'null::text[] as texts, null::text[] as lexemes'}
    ) as about
    left join (
      select each.*, row_number() over () = 1 as is_first from (${hits.join(' union all ')}) as each
    ) as hits on true`,
  };
}

/** The best by terms, and those of the delta that have one of the terms. */
function textHits(
  source: MemorySource,
  { terms, ids, upcoming }: Readonly<{ terms: string; ids: string; upcoming: string }>,
): string[] {
  return [
    `select ${candidateColumns('m')}, null::float8 as similarity, null::integer as terms, 0 as length
     from unnest((select ${ids}::uuid[])) as given (id) cross join lateral (
       select * from memories where id = given.id and tenant_id = $1::uuid offset 0) as m
     where ${source.where('m')} and not ${isDelta('m')}`,
    `select ${candidateColumns('m')}, null::float8, has.terms, length(m.search_text)
     from delta cross join lateral ${source.byId('delta.id')} as m cross join lateral (
       select coalesce(bit_or(1 << (number - 1)::integer), 0) as terms
       from unnest((select ${terms}::text[])) with ordinality as asked (term, number)
       where m.search_terms @@ search_query(term)
     ) as has
     where has.terms > 0 and ${source.where('m')} and (${isDelta('m')} or m.id = any(${upcoming}::uuid[]))`,
  ];
}

/** Texts of the delta, if they are not too long, and their lexemes without digits. */
function wordsOfDelta(source: MemorySource): string {
  const memory = `delta cross join lateral ${source.byId('delta.id')} as m`;
  return `
        (select case when coalesce(sum(length(m.search_text)), 0) <= ${MAX_TEXTS}
            then coalesce(array_agg(m.search_text), '{}') end
          from ${memory} where m.is_current) as texts,
        (select coalesce(array_agg(distinct lexeme), '{}')
          from ${memory} cross join lateral unnest(tsvector_to_array(m.search_terms)) as lexeme
          where m.is_current and length(lexeme) >= 3 and lexeme !~ '[0-9]') as lexemes`;
}
