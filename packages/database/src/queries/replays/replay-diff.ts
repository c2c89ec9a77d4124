import type { ReplayChange } from '@factmill/contracts';
import type { Sql } from '../../pool/sql.ts';
import { memoryColumns, type MemoryRow } from '../memories/memory-rows.ts';
import { SHADOW_ROWS } from './shadow-memories.ts';
import { shadowParts } from './shadow-parts.ts';

/** A replay ($1 tenant, $2 replay), or what it says of one user ($3). */
export type DiffTarget = Readonly<{ tenantId: string; replayId: string; userId: string | null }>;

export type DiffRow = Readonly<{
  change: ReplayChange;
  userId: string;
  /** What is served now; null when the shadow adds it. */
  before: MemoryRow | null;
  /** What the shadow has in its place; null when it has nothing. */
  after: MemoryRow | null;
  /** Names of the fields that differ. */
  fields: string[];
  position: string;
}>;

/** What a memory is about: its key, its question, or its text. */
const IDENTITY = `case when m.key is not null then jsonb_build_array('key', m.category, m.key)::text
  when m.subject_hash is not null then 'question ' || encode(m.subject_hash, 'hex')
  else 'text ' || encode(m.content_hash, 'hex') end as identity`;

/** Fields of a memory that are compared; what they are called in answers, and their columns. */
const FIELDS: Readonly<Record<string, string>> = {
  kind: 'kind',
  tier: 'tier',
  category: 'category',
  key: 'key',
  value: 'value',
  content: 'content',
  question: 'question',
  answer: 'answer',
  tags: 'tags',
  project: 'project',
  topic: 'topic',
  scope: 'conversation_id',
};

const DIFFERENCES = `array_remove(array[${Object.entries(FIELDS)
  .map(([name, column]) => `case when l.${column} is distinct from f.${column} then '${name}' end`)
  .join(', ')}], null)`;

const PARTS = shadowParts({ tenant: '$1::uuid', replay: '$2::uuid', user: '$3::text' });

const COMPARED = `m.id, m.user_id, ${IDENTITY}, m.content_hash, m.stated_at,
  ${Object.values(FIELDS)
    .map((column) => `m.${column}`)
    .join(', ')}`;

/**
 * What is served beside what the shadow has: first by what memories are about, then the rest by their text. `lid` and
 * `fid` are their ids.
 */
const DIFF = `with live as (
    select ${COMPARED} from memories m
    where m.is_current and (${PARTS.replayed}) or (${PARTS.ended})
  ), found as (
    select ${COMPARED} from ${SHADOW_ROWS} where s.is_current and (${PARTS.found}) or (${PARTS.revived})
  ), paired as (
    select l.id as lid, f.id as fid from live l join found f on f.user_id = l.user_id
      and f.conversation_id = l.conversation_id and f.identity = l.identity
  ), live_rest as (
    select *, row_number() over (partition by user_id, content_hash order by stated_at, id) as n from live
    where id not in (select lid from paired)
  ), found_rest as (
    select *, row_number() over (partition by user_id, content_hash order by stated_at, id) as n from found
    where id not in (select fid from paired)
  ), matched as (
    select lid, fid from paired union all
    select l.id, f.id from live_rest l full join found_rest f
      on f.user_id = l.user_id and f.content_hash = l.content_hash and f.n = l.n
  ), compared as (
    select l.id as lid, f.id as fid, coalesce(f.user_id, l.user_id) as user_id, coalesce(f.id, l.id) as id,
      case when l.id is null or f.id is null then '{}'::text[] else ${DIFFERENCES} end as fields
    from matched left join live l on l.id = lid left join found f on f.id = fid
  ), diff as (
    select *, case when lid is null then 'added' when fid is null then 'gone'
      when cardinality(fields) > 0 then 'changed' else 'same' end as change from compared
  )`;

/** How many memories a replay adds, changes, takes away and leaves as they are. */
export async function countReplayDiff(sql: Sql, target: DiffTarget): Promise<Record<ReplayChange, number>> {
  const { rows } = await sql.query<{ change: ReplayChange; count: number }>(
    `${DIFF} select change, count(*)::integer as count from diff group by change`,
    [target.tenantId, target.replayId, target.userId],
  );
  const counts = new Map(rows.map(({ change, count }) => [change, count]));
  const of = (change: ReplayChange) => counts.get(change) ?? 0;
  return { added: of('added'), changed: of('changed'), gone: of('gone'), same: of('same') };
}

/** The differences of some kinds, by user and memory. */
export async function listReplayDiff(
  sql: Sql,
  target: DiffTarget,
  page: Readonly<{
    changes: readonly ReplayChange[];
    after: Readonly<{ userId: string; id: string }> | null;
    limit: number;
  }>,
): Promise<DiffRow[]> {
  const { rows } = await sql.query<DiffRow>(
    `${DIFF}, page as (
       select * from diff where change = any($4::text[])
         and ($5::text is null or (user_id, id) > ($5::text, $6::uuid))
       order by user_id, id limit $7::integer
     )
     select page.change, page.user_id as "userId", page.fields, page.id as position,
       (select to_jsonb(b) from (select ${memoryColumns('m')} from memories m
         where m.tenant_id = $1::uuid and m.id = page.lid) as b) as before,
       (select to_jsonb(a) from (select ${memoryColumns('m')} from ${SHADOW_ROWS}
         where s.tenant_id = $1::uuid and s.replay_id = $2::uuid and s.id = page.fid) as a) as after
     from page order by page.user_id, page.id`,
    [
      target.tenantId,
      target.replayId,
      target.userId,
      page.changes,
      page.after?.userId ?? null,
      page.after?.id ?? null,
      page.limit,
    ],
  );
  return rows.map((row) => ({ ...row, before: withDates(row.before), after: withDates(row.after) }));
}

const DATES = [
  'statedAt',
  'createdAt',
  'updatedAt',
  'lastAccessedAt',
  'lastVerifiedAt',
  'expiresAt',
  'validFrom',
  'validTo',
  'archivedAt',
] as const satisfies readonly (keyof MemoryRow)[];

/** JSON has no dates: they arrive as text. */
function withDates(row: MemoryRow | null): MemoryRow | null {
  if (row === null) return null;
  const dates = DATES.map((name) => [name, row[name] === null ? null : new Date(row[name])]);
  return { ...row, ...(Object.fromEntries(dates) as Pick<MemoryRow, (typeof DATES)[number]>) };
}
