import { type Sql, toHalfvec } from '@factmill/database';
import { presets } from '@factmill/extraction';
import { B, K1 } from '../bm25.ts';
import type { VectorSearch } from './nearest.ts';
import { knownMemories, restingOn } from './known-memories.ts';
import type { TurnRow } from './turn-row.ts';

/** Which turns of a user, or of all users, may be found. */
export type TurnTarget = Readonly<{
  tenantId: string;
  userId: string | null;
  /** Turns of these conversations; null: of all that there are. */
  conversationIds: readonly string[] | null;
  /** Also what no extraction has read yet. */
  withPending: boolean;
  /** Of conversations of this project; null: of any. */
  project: string | null;
  /** Leaves out conversations that keep what they know to themselves, but for these; null: none. */
  visibleToConversations: readonly string[] | null;
  /** What was said by then; null: everything. */
  until: Date | null;
  limit: number;
}>;

/** The latest parts of a user whose bit codes are compared, from the index alone: 10 ms. */
const MAX_CODES = 20_000;
/** Of those, as many as are nearest by their codes have their distances computed. */
const SHORTLIST = 300;
/** Shorter bit codes say too little: then so many of the latest parts are compared one by one. */
const MIN_CODE_BITS = 128;
const MAX_EXACT = 5_000;
/** A word of more parts than this says too little to find a turn by; it counts where another word has found one. */
const MAX_FREQUENCY = 400;
/** Where all words are so common, the latest parts with them are taken. */
const LATEST = 1_000;

/** The presets whose memories are for one conversation, as a literal of SQL. */
const OF_CONVERSATION = `'{${[...presets.values()]
  .filter(({ memoryScope }) => memoryScope === 'conversation')
  .map(({ name }) => name)
  .join(',')}}'::text[]`;

/**
 * SQL: whether the turns of the conversation `c` are visible to these conversations. Null: turns are not left out. A
 * conversation sees its own turns, and those of others whose preset has memories for all conversations of the user.
 */
export const turnsVisibleTo = (
  c: string,
  conversations: string,
) => `(${conversations}::text[] is null or ${c}.id = any(${conversations}::text[])
    or ((${c}.policy->>'preset' = any(${OF_CONVERSATION})) is not true and not exists (
      select from extractions e where e.tenant_id = ${c}.tenant_id and e.conversation_id = ${c}.id
        and e.preset = any(${OF_CONVERSATION}))))`;

/**
 * Selected of a part `p` of a message `m`. `memoryId`: the first of the given memories that rests on the message, by
 * `restingOn`.
 */
const COLUMNS = `c.id as "conversationId", c.user_id as "userId", c.project, m.id as "messageId", m.role,
  p.content, p.id as "partId", m.created_at as "createdAt", m.seq > c.extracted_seq as pending,
  ${restingOn('c.id', 'm.id')} as "memoryId"`;
/** $1 to $8 are the target. Part by part, by keys: a join may read all messages of a tenant that has grown. */
const SOURCE = `
  cross join lateral (select * from turn_parts where id = found.id and tenant_id = $1::uuid offset 0) as p
  cross join lateral (
    select * from messages
    where tenant_id = $1::uuid and conversation_id = p.conversation_id and seq = p.seq offset 0) as m
  cross join lateral (
    select * from conversations where tenant_id = $1::uuid and id = p.conversation_id offset 0) as c
  where not m.superseded and m.seq > c.evicted_seq and ($3::text[] is null or c.id = any($3::text[]))
    and ($4::boolean or m.seq <= c.extracted_seq) and ($5::text is null or c.project = $5::text)
    and ($6::timestamptz is null or m.created_at <= $6::timestamptz) and ${turnsVisibleTo('c', '$8')}`;

const valuesOf = ({
  tenantId,
  userId,
  conversationIds,
  withPending,
  project,
  until,
  limit,
  visibleToConversations,
}: TurnTarget) => [
  tenantId,
  userId,
  conversationIds,
  withPending,
  project,
  until,
  limit,
  visibleToConversations,
];

/** By what turns are looked for. */
export type TurnQuery = Readonly<{
  vector: VectorSearch | null;
  terms: readonly string[];
  /** Memories that were found already, best first. */
  memoryIds: readonly string[];
}>;

/** A part of a turn, and which list it is in. */
export type FoundPart = TurnRow & Readonly<{ list: 'near' | 'words' }>;

/**
 * The parts of turns that are nearest to the vector (of one user), and those that have one of the words, each list best
 * first. One statement.
 */
export async function findTurnParts(
  sql: Sql,
  target: TurnTarget,
  { vector, terms, memoryIds }: TurnQuery,
): Promise<FoundPart[]> {
  if (vector === null && terms.length === 0) return [];
  const values: unknown[] = valuesOf(target);
  const bind = (value: unknown) => `$${values.push(value)}`;
  const known = knownMemories('$1', bind(memoryIds));
  const near = vector === null ? null : nearParts(target, vector, bind);
  const words = terms.length === 0 ? null : partsWithWords(bind(terms));
  const lists = [near, words].filter((list) => list !== null);
  const { rows } = await sql.query<FoundPart>(
    `with ${[known, ...lists.map(({ ctes }) => ctes)].join(', ')}
     ${lists.map(({ list }) => `(${list})`).join(' union all ')}`,
    values,
    { name: `search_turns${lists.map(({ name }) => name).join('')}` },
  );
  return rows;
}

type PartList = Readonly<{ ctes: string; list: string; name: string }>;

/**
 * The parts of a user's turns nearest to the vector: of the latest 20,000, those nearest by their bit codes. Uses
 * turn_part_embeddings_near_idx.
 */
function nearParts(
  { conversationIds, project }: TurnTarget,
  { model, dimensions, vector, minSimilarity }: VectorSearch,
  bind: (value: unknown) => string,
): PartList {
  const isExact = dimensions < MIN_CODE_BITS;
  // Filters leave few: they come before the shortlist, or it could have none of them.
  const isFiltered = conversationIds !== null || project !== null;
  const filter = `and e.part_id in (
      select p.id from turn_parts p join conversations c on c.tenant_id = p.tenant_id and c.id = p.conversation_id
      where p.tenant_id = $1::uuid and p.user_id = $2::text
        and ($3::text[] is null or c.id = any($3::text[])) and ($5::text is null or c.project = $5::text))`;
  const ofModel = `e.tenant_id = $1::uuid and e.model = ${bind(model)}::text`;
  const query = `${bind(toHalfvec(vector))}::halfvec`;
  return {
    name: `_near${isExact ? '_exact' : ''}${isFiltered ? '_filtered' : ''}`,
    ctes: `latest as materialized (
       select e.part_id, e.code from turn_part_embeddings e
       where ${ofModel} and e.user_id = (select $2::text) ${isFiltered ? filter : ''}
       order by e.part_id desc limit ${isExact ? MAX_EXACT : MAX_CODES}
     ), shortlist as materialized (
       select part_id from latest
       ${isExact ? '' : `order by code <~> (select binary_quantize(${query})) limit ${SHORTLIST}`}
     ), near as materialized (
       select s.part_id as id, (e.embedding <=> ${query}) + 0 as distance from shortlist s cross join lateral (
         select embedding from turn_part_embeddings e where e.part_id = s.part_id and ${ofModel} offset 0) as e
     )`,
    list: `select 'near' as list, ${COLUMNS}, 1 - found.distance as score from near as found ${SOURCE}
       and found.distance <= 1 - ${bind(minSimilarity)}::float8
     order by found.distance, found.id limit $7::integer`,
  };
}

/**
 * The parts of turns that have one of the words, by BM25. They are found by words that few parts have
 * (turn_parts_words_idx), or else among the latest.
 */
function partsWithWords(terms: string): PartList {
  return {
    name: '_words',
    ctes: `terms as materialized (
       select t.n, search_query(t.term) as query, array(
         select distinct search_key($1::uuid, $2::text, word)
         from unnest(tsvector_to_array(search_words(t.term))) as word) as keys
       from unnest((select ${terms}::text[])) with ordinality as t (term, n)
     ), hits as materialized (
       select t.n, p.id from terms t
         cross join lateral turn_parts_with_keys($1::uuid, t.keys, ${MAX_FREQUENCY + 1}) as h (id)
         cross join lateral (
           select id, search_terms from turn_parts where id = h.id and tenant_id = $1::uuid offset 0) as p
       where cardinality(t.keys) > 0 and p.search_terms @@ t.query
     ), frequencies as materialized (
       select n, count(*)::float8 as df from hits group by n
     ), candidates as materialized (
       select distinct h.id from hits h join frequencies f using (n) where f.df <= ${MAX_FREQUENCY}
       union
       select id from (
         select p.id from turn_parts p where p.tenant_id = $1::uuid and p.user_id = (select $2::text)
           and not exists (select from frequencies where df <= ${MAX_FREQUENCY})
         order by p.id desc limit ${LATEST}) as latest
     ), texts as materialized (
       select c.id, p.search_terms, length(p.content)::float8 as length
       from candidates c join turn_parts p on p.id = c.id and p.tenant_id = $1::uuid
     ), of_all as (
       select count(*)::float8 as texts, greatest(avg(length), 1) as average_length from texts
     ), weighed as materialized (
       select t.query, ln(1 + (greatest(a.texts, f.df) - f.df + 0.5) / (f.df + 0.5)) as idf
       from terms t join frequencies f using (n) cross join of_all a
     ), scored as materialized (
       select t.id, sum(w.idf) / (${1 - B + 1 / K1} + ${B} * min(t.length) / min(a.average_length)) as score
       from texts t join weighed w on t.search_terms @@ w.query cross join of_all a
       group by t.id order by score desc, t.id limit 3 * $7::integer
     )`,
    list: `select 'words' as list, ${COLUMNS}, found.score from scored as found ${SOURCE}
     order by found.score desc, found.id limit $7::integer`,
  };
}
