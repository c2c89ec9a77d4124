import type { PresetName, ReplayEstimate, ReplayState } from '@factmill/contracts';
import type { Sql } from '../../pool/sql.ts';

export type ReplayRow = Readonly<{
  id: string;
  state: ReplayState;
  /** Null: all users of the tenant. */
  userId: string | null;
  since: Date | null;
  until: Date | null;
  preset: PresetName | null;
  model: string | null;
  hasPrompt: boolean;
  estimate: ReplayEstimate;
  runs: number;
  done: number;
  failed: number;
  /** Until when and why the next run waits, when a budget is used up. */
  deferredUntil: Date | null;
  reason: string | null;
  errorClass: string | null;
  errorMessage: string | null;
  modelCalls: number;
  promptTokens: number;
  completionTokens: number;
  createdAt: Date;
  finishedAt: Date | null;
}>;

/** A replay in a list; `position` is `created_at` with its microseconds, for the cursor. */
export type ListedReplay = ReplayRow & Readonly<{ position: string }>;

/** What a replay is over. */
export type ReplayScope = Readonly<{
  tenantId: string;
  userId: string | null;
  since: string | null;
  until: string | null;
}>;

export type NewReplay = ReplayScope &
  Readonly<{
    id: string;
    preset: PresetName | null;
    model: string | null;
    prompt: string | null;
    estimate: ReplayEstimate;
  }>;

/**
 * Extractions `e` of a scope ($1 to $4) that can be replayed: those that have ended and were given to a model or to the
 * rules, and whose messages retention has not emptied.
 */
const REPLAYABLE = `e.tenant_id = $1::uuid and ($2::text is null or e.user_id = $2::text)
  and ($3::timestamptz is null or e.accepted_at >= $3::timestamptz)
  and ($4::timestamptz is null or e.accepted_at < $4::timestamptz)
  and e.state in ('done', 'failed', 'dropped')
  and not exists (select from conversations c where c.tenant_id = e.tenant_id and c.id = e.conversation_id
    and c.removed_seq >= e.from_seq)`;

const scopeOf = ({ tenantId, userId, since, until }: ReplayScope) => [tenantId, userId, since, until];

/** What is known about the cost of a scope. */
export type ScopeCost = Readonly<{
  extractions: number;
  users: number;
  messages: number;
  /** Estimated tokens of the messages of extractions that no model was paid for. */
  tokens: number;
  /** Extractions that a model was paid for, and what they took. */
  measured: number;
  promptTokens: number;
  completionTokens: number;
}>;

/** Counts what a replay would extract. Reads messages without their text. */
export function readScopeCost(sql: Sql, scope: ReplayScope): Promise<ScopeCost> {
  return sql.one<ScopeCost>(
    `select count(*)::integer as extractions, count(distinct e.user_id)::integer as users,
       coalesce(sum(said.messages), 0)::integer as messages,
       coalesce(sum(said.tokens) filter (where e.prompt_tokens is null), 0)::float8 as tokens,
       count(e.prompt_tokens)::integer as measured,
       coalesce(sum(e.prompt_tokens), 0)::float8 as "promptTokens",
       coalesce(sum(e.completion_tokens), 0)::float8 as "completionTokens"
     from extractions e cross join lateral (
       select count(*) as messages, coalesce(sum(m.token_estimate), 0) as tokens from messages m
       where m.tenant_id = e.tenant_id and m.conversation_id = e.conversation_id
         and m.seq between e.from_seq and e.to_seq and not m.superseded) as said
     where ${REPLAYABLE}`,
    scopeOf(scope),
  );
}

/** Creates a replay with a run for each extraction of its scope. */
export async function insertReplay(tx: Sql, replay: NewReplay): Promise<void> {
  await tx.query(
    `with made as (
       insert into replays (id, tenant_id, user_id, since, until, preset, model, prompt, estimate)
       values ($5::uuid, $1::uuid, $2::text, $3::timestamptz, $4::timestamptz, $6::text, $7::text, $8::text, $9::jsonb)
       returning id, tenant_id
     )
     insert into replay_runs (id, tenant_id, replay_id, user_id, kind, position, extraction_id)
     select new_uuid_v7(), made.tenant_id, made.id, e.user_id, 'extract', e.accepted_no, e.id
     from made join extractions e on ${REPLAYABLE}`,
    [
      ...scopeOf(replay),
      replay.id,
      replay.preset,
      replay.model,
      replay.prompt,
      JSON.stringify(replay.estimate),
    ],
  );
}

/** The state of a replay `p`, by its phase and whether a run of it is open. */
const STATE = `case p.phase
  when 'discarded' then 'discarded'
  when 'extract' then case when counted.open > 0 then 'running' else 'done' end
  when 'apply' then case when counted.open > 0 then 'applying' else 'applied' end
  else case when counted.open > 0 then 'undoing' else 'undone' end end`;

const SELECTED = `select p.id, ${STATE} as state, p.user_id as "userId", p.since, p.until, p.preset, p.model,
    p.prompt is not null as "hasPrompt", p.estimate, counted.runs, counted.done, counted.failed,
    counted.deferred_until as "deferredUntil", counted.reason, failure.error_class as "errorClass",
    failure.error_message as "errorMessage", counted.model_calls as "modelCalls",
    counted.prompt_tokens as "promptTokens", counted.completion_tokens as "completionTokens",
    p.created_at as "createdAt", case when counted.open = 0 then counted.finished_at end as "finishedAt",
    to_char(p.created_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as position
  from replays p cross join lateral (
    select count(*) filter (where r.kind = p.phase)::integer as runs,
      count(*) filter (where r.kind = p.phase and r.state = 'done')::integer as done,
      count(*) filter (where r.kind = p.phase and r.state = 'failed')::integer as failed,
      count(*) filter (where r.state in ('pending', 'active'))::integer as open,
      min(r.deferred_until) filter (where r.state = 'pending') as deferred_until,
      min(r.reason) filter (where r.state = 'pending') as reason, max(r.finished_at) as finished_at,
      coalesce(sum(r.model_calls), 0)::integer as model_calls,
      coalesce(sum(r.prompt_tokens), 0)::float8 as prompt_tokens,
      coalesce(sum(r.completion_tokens), 0)::float8 as completion_tokens
    from replay_runs r where r.tenant_id = p.tenant_id and r.replay_id = p.id
  ) as counted left join lateral (
    select r.error_class, r.error_message from replay_runs r
    where r.tenant_id = p.tenant_id and r.replay_id = p.id and r.error_class is not null
    order by r.finished_at desc nulls last limit 1
  ) as failure on true`;

type OneReplay = Readonly<{
  tenantId: string;
  id: string;
  /** Only one that is about this user alone; null: any. */
  userId: string | null;
}>;

/** One replay of a tenant, or undefined. */
export function findReplay(sql: Sql, { tenantId, id, userId }: OneReplay): Promise<ListedReplay | undefined> {
  return sql.maybeOne<ListedReplay>(
    `${SELECTED} where p.tenant_id = $1::uuid and p.id = $2::uuid and ($3::text is null or p.user_id = $3::text)`,
    [tenantId, id, userId],
  );
}

/** The same, with its phase locked until the end of the transaction. */
export async function lockReplay(tx: Sql, target: OneReplay): Promise<ListedReplay | undefined> {
  await tx.query('select from replays where tenant_id = $1::uuid and id = $2::uuid for update', [
    target.tenantId,
    target.id,
  ]);
  return findReplay(tx, target);
}

/** Replays of a user, or of a tenant, newest first. Uses replays_list_idx. */
export async function listReplays(
  sql: Sql,
  filter: Readonly<{
    tenantId: string;
    userId: string | null;
    before: Readonly<{ position: string; id: string }> | null;
    limit: number;
  }>,
): Promise<ListedReplay[]> {
  const { rows } = await sql.query<ListedReplay>(
    `${SELECTED} where p.tenant_id = $1::uuid and ($2::text is null or p.user_id = $2::text)
       and ($3::timestamptz is null or (p.created_at, p.id) < ($3::timestamptz, $4::uuid))
     order by p.created_at desc, p.id desc limit $5::integer`,
    [
      filter.tenantId,
      filter.userId,
      filter.before?.position ?? null,
      filter.before?.id ?? null,
      filter.limit,
    ],
  );
  return rows;
}

/** Adds a run that changes what is served, for each user of a phase that has ended, and begins the next phase. */
export async function beginChange(
  tx: Sql,
  { tenantId, id }: Readonly<{ tenantId: string; id: string }>,
  kind: 'apply' | 'undo',
): Promise<void> {
  await tx.query(
    `insert into replay_runs (id, tenant_id, replay_id, user_id, kind, position)
     select new_uuid_v7(), r.tenant_id, r.replay_id, r.user_id, $3::text, max(r.position) + 1
     from replay_runs r
     where r.tenant_id = $1::uuid and r.replay_id = $2::uuid and r.state = 'done'
       and r.kind = case $3::text when 'apply' then 'extract' else 'apply' end
     group by r.tenant_id, r.replay_id, r.user_id`,
    [tenantId, id, kind],
  );
  await setPhase(tx, tenantId, id, kind);
}

/** Throws the shadow away. Work in flight loses its row and writes nothing. */
export async function discardReplay(tx: Sql, tenantId: string, id: string): Promise<void> {
  const target = [tenantId, id];
  await tx.query('delete from replay_runs where tenant_id = $1::uuid and replay_id = $2::uuid', target);
  await tx.query('delete from replay_memories where tenant_id = $1::uuid and replay_id = $2::uuid', target);
  await setPhase(tx, tenantId, id, 'discarded');
}

/** Deletes a replay with its shadow. */
export async function deleteReplay(tx: Sql, tenantId: string, id: string): Promise<void> {
  await tx.query('delete from replays where tenant_id = $1::uuid and id = $2::uuid', [tenantId, id]);
}

async function setPhase(
  tx: Sql,
  tenantId: string,
  id: string,
  phase: 'apply' | 'undo' | 'discarded',
): Promise<void> {
  await tx.query('update replays set phase = $3::text where tenant_id = $1::uuid and id = $2::uuid', [
    tenantId,
    id,
    phase,
  ]);
}
