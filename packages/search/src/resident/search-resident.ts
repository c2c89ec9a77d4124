import { candidateColumns, type CandidateRow, type Sql, toHalfvec } from '@factmill/database';
import { mayName } from '../channels/by-project.ts';
import type { FullTextHits, FullTextRow, FullTextSearch } from '../channels/full-text-hits.ts';
import { K, MIN_CODE_BITS, nearestVisible, type VectorRow, type VectorSearch } from '../channels/nearest.ts';
import { facetsAsked, memoriesOf, type MemorySource, type SearchTarget } from '../target.ts';
import { findPassing, leaveOutLater } from './facets.ts';
import type { FindLexemes, Lexeme } from './lexemes.ts';
import { MAX_DELTA } from './load-user-index.ts';
import { MAX_TERMS, scoreTerms, type TermScores } from './score-terms.ts';
import { isBeyondShortlist, type Shortlist, shortlistByEstimate } from './shortlist.ts';
import { idsOf, type UserIndex } from './user-index.ts';
import { toUuids, uuidAt } from './uuids.ts';

/** Memories on the shortlist of bit codes, at least, and for each result. */
const MIN_SHORTLIST = 100;
const SHORTLIST_PER_RESULT = 2;
/** At most so many, or this share of all: reading more by their ids takes as long as the exact scan does. */
const MAX_SHORTLIST = 600;
const MAX_SHORTLIST_SHARE = 1 / 4;
/** Best by terms that are read beyond the limit, in case that some of them are gone. */
const OVERFETCH = 5;

/** A search of what one user has now: by a vector, by terms, or by both. */
export type ResidentSearch = Readonly<{
  target: SearchTarget;
  vector: VectorSearch | null;
  text: FullTextSearch | null;
}>;

/** Null where a channel has to ask by a statement of its own. */
export type ResidentHits = Readonly<{
  vector: VectorRow[] | 'incomplete' | null;
  text: FullTextHits | null;
  /** Whether the user has turns that could be found; null: unknown. */
  hasTurns: boolean | null;
}>;

/** What is read: the shortlists of the two channels. */
type Plan = Readonly<{
  vector: (VectorSearch & Readonly<{ shortlist: Shortlist; ids: Buffer }>) | null;
  text: (FullTextSearch & Readonly<{ scores: TermScores; ids: Buffer; lexemes: readonly Lexeme[] }>) | null;
}>;

type Hit = CandidateRow &
  Readonly<{
    /** Of a memory that was found by its vector; else null. */
    similarity: number | null;
    /** Of a memory of the delta, which terms it has; else null. */
    terms: number | null;
    length: number;
  }>;

/** A hit, or none where nothing was found, beside what was written since the watermark. */
type Row = (Hit | { id: null }) & { delta: number; projects: string[] | null; hasTurns: boolean };

/**
 * Searches an index: a shortlist by bit codes and one by BM25, of the memories that pass the filters, then one statement
 * that reads both, with the exact distance, and beside them the delta: what was written since the watermark, and
 * memories that did not hold yet. It counts with the document frequencies of the index. A memory of the delta is not
 * taken from the index.
 *
 * @returns `outdated` when too much was written, or too many of the best are gone
 */
export async function searchResident(
  sql: Sql,
  index: UserIndex,
  search: ResidentSearch,
  findLexemes: FindLexemes,
): Promise<ResidentHits | 'outdated'> {
  const { target } = search;
  const passing = leaveOutLater(index, findPassing(index, facetsAsked(target)), target.begunBy);
  const plan = {
    vector: planVector(index, search, passing),
    text: await planText(sql, index, search, passing, findLexemes),
  };
  if (plan.vector === null && plan.text === null) return { vector: null, text: null, hasTurns: null };
  const { text, values, name } = toStatement(index, target, plan);
  const { rows } = await sql.query<Row>(text, values, { name });
  const [first] = rows;
  if (first === undefined || first.delta > MAX_DELTA) return 'outdated';
  const hits = rows.filter((row): row is Row & Hit => row.id !== null);
  const byText = toFullTextHits(index, plan.text, hits, first.projects ?? []);
  if (byText === 'outdated') return 'outdated';
  return { vector: toVectorRows(plan.vector, hits), text: byText, hasTurns: first.hasTurns };
}

function planVector(
  index: UserIndex,
  { vector }: ResidentSearch,
  passing: Uint8Array | null,
): Plan['vector'] {
  if (vector === null || vector.model !== index.model || vector.dimensions < MIN_CODE_BITS) return null;
  const { limit, minSimilarity } = vector;
  const min = Math.max(MIN_SHORTLIST, SHORTLIST_PER_RESULT * limit);
  const max = Math.max(MAX_SHORTLIST, min, Math.floor(MAX_SHORTLIST_SHARE * index.codes.size));
  const rowAt = (place: number) => index.rowOfCode[place] ?? 0;
  const shortlist = shortlistByEstimate(
    index.codes,
    vector.vector,
    { k: Math.min(K, limit), minSimilarity, min, max },
    (place) => passing?.[rowAt(place)] !== 0,
  );
  return { ...vector, shortlist, ids: idsOf(index, shortlist.places.map(rowAt)) };
}

async function planText(
  sql: Sql,
  index: UserIndex,
  { text }: ResidentSearch,
  passing: Uint8Array | null,
  findLexemes: FindLexemes,
): Promise<Plan['text']> {
  if (text === null || text.terms.length === 0 || text.terms.length > MAX_TERMS) return null;
  const lexemes = await findLexemes(sql, text.terms);
  if (lexemes.some((lexeme) => lexeme.is === 'phrase')) return null;
  const keys = lexemes.map((lexeme) => (lexeme.is === 'word' ? lexeme.key : null));
  const scores = scoreTerms(index, keys, text.limit + OVERFETCH, passing);
  const rows = scores.best.map(({ row }) => row);
  return { ...text, scores, lexemes, ids: idsOf(index, rows) };
}

/**
 * `written_xid` of a row against the watermark. A number that is still to come is another server's, from which the row
 * was restored: it is old.
 */
const isDelta = (alias: string) =>
  `(${alias}.written >= $3::xid8 and ${alias}.written < pg_snapshot_xmax(pg_current_snapshot()))`;

/** memories_pkey, memory_embeddings_pkey, memories_written_idx, memory_embeddings_near_idx, turn_parts_user_idx. */
function toStatement(index: UserIndex, target: SearchTarget, { vector, text }: Plan) {
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
      from memory_embeddings e where e.memory_id = any((select ${ids})::uuid[]) and e.model = ${model}
      union all
      select delta.id, ${distance} from delta cross join lateral (
        select * from memory_embeddings e where e.memory_id = delta.id and e.model = ${model} offset 0) as e
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
    hits.push(...textHits(source, { terms: bind(text.terms), ids: bind(toUuids(text.ids)), upcoming }));
  }
  return {
    values,
    name: `search_resident_${vector === null ? '' : 'V'}${text === null ? '' : 'T'}${source.variant}`,
    text: `
    with delta as materialized (${deltas.join(' union ')})${ctes.map((cte) => `, ${cte}`).join('')}
    select about.*, hits.*
    from (
      select (select count(*) from delta)::integer as delta,
        (select array_agg(m.project) from delta cross join lateral ${source.byId('delta.id')} as m
          where m.is_current and m.project is not null) as projects,
        exists (select from turn_parts p where ${owned('p')}) as "hasTurns"
    ) as about
    left join (${hits.join(' union all ')}) as hits on true`,
  };
}

/** The best by terms, and those of the delta that have one of the terms. */
function textHits(
  source: MemorySource,
  { terms, ids, upcoming }: Readonly<{ terms: string; ids: string; upcoming: string }>,
): string[] {
  return [
    `select ${candidateColumns('m')}, null::float8 as similarity, null::integer as terms, 0 as length
     from (select * from memories where id = any((select ${ids}::uuid[])::uuid[]) offset 0) as m
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

function toVectorRows(plan: Plan['vector'], hits: readonly Hit[]): ResidentHits['vector'] {
  if (plan === null) return null;
  const { shortlist, limit, minSimilarity, dimensions } = plan;
  const rows = hits
    .flatMap((hit) => (hit.similarity === null ? [] : [{ ...hit, similarity: hit.similarity }]))
    .sort((a, b) => b.similarity - a.similarity || (a.id < b.id ? -1 : 1));
  const nearest = rows.length < limit ? minSimilarity : rows[Math.min(K, limit) - 1]?.similarity;
  return isBeyondShortlist(shortlist, nearest ?? minSimilarity, dimensions) ? rows : 'incomplete';
}

function toFullTextHits(
  index: UserIndex,
  plan: Plan['text'],
  hits: readonly Hit[],
  projects: readonly string[],
): FullTextHits | null | 'outdated' {
  if (plan === null) return null;
  const { scores, ids, terms, limit, lexemes, query } = plan;
  const found = hits.filter(({ similarity }) => similarity === null);
  const isComplete =
    scores.best.length === scores.found || found.filter((hit) => hit.terms === null).length >= limit;
  if (!isComplete) return 'outdated';
  const bestById = new Map(scores.best.map((entry, at) => [uuidAt(ids, at), entry]));
  const rows = found
    .map((hit): FullTextRow => ({
      ...hit,
      textScore:
        hit.terms === null ? (bestById.get(hit.id)?.score ?? 0) : scores.scoreOf(hit.terms, hit.length),
    }))
    .sort((a, b) => b.textScore - a.textScore || (a.id < b.id ? -1 : 1));
  const seen = found.reduce((bits, hit) => bits | (hit.terms ?? bestById.get(hit.id)?.terms ?? 0), 0);
  return {
    rows: rows.slice(0, limit),
    unknownTerms: terms.filter(
      (_, term) => lexemes[term]?.is === 'word' && !has(seen, term) && areAllRead(scores, term),
    ),
    mayNameProject: mayName(query, index.projects) || mayName(query, projects),
  };
}

/** Whether all rows of the index with a term are among the best, which were read: where none is left, it is unknown. */
function areAllRead({ best, documentFrequencies }: TermScores, term: number): boolean {
  return best.filter(({ terms }) => has(terms, term)).length === documentFrequencies[term];
}

function has(terms: number, term: number): boolean {
  return ((terms >>> term) & 1) === 1;
}
