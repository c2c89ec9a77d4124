import { isReplayed } from './shadow-memories.ts';

/** SQL of the parameters that name a replay; `user` may be null for all users. */
type Parameters = Readonly<{ tenant: string; replay: string; user: string }>;

/** SQL conditions for what a replay would change, over memories `m` or the rows `s` and `m` of its shadow. */
export type ShadowParts = Readonly<{
  /** Served memories of extractions that were replayed. */
  replayed: string;
  /** Served memories that the shadow has ended. */
  ended: string;
  /** Rows of the shadow that came from its runs, without those that say what somebody has deleted by hand. */
  found: string;
  /** Copies in the shadow that hold again there, because what replaced them came from a replayed extraction. */
  revived: string;
}>;

const IS_DONE = `r.state = 'done'`;

/** What a replay would change. Extractions whose run has failed keep what they have. */
export function shadowParts({ tenant, replay, user }: Parameters): ShadowParts {
  const ofUser = (row: string) =>
    `${row}.tenant_id = ${tenant} and (${user} is null or ${row}.user_id = ${user})`;
  const inShadow = `${ofUser('s')} and s.replay_id = ${replay}`;
  return {
    replayed: `${ofUser('m')} and m.deleted_at is null and m.archived_at is null
      and ${isReplayed('m', replay, IS_DONE)}`,
    ended: `${ofUser('m')} and m.is_current and exists (
      select from replay_memories b where b.tenant_id = m.tenant_id and b.replay_id = ${replay}
        and b.base_id = m.id and not b.is_current)`,
    found: `${inShadow} and s.base_id is null and not exists (
      select from memories d where d.tenant_id = s.tenant_id and d.user_id = s.user_id
        and d.deleted_at is not null and d.conversation_id = m.conversation_id
        and (d.content_hash = m.content_hash or d.category = m.category and d.key = m.key and d.value = m.value)
        and exists (select from memory_versions v where v.tenant_id = d.tenant_id and v.memory_id = d.id
          and v.operation = 'DELETE' and v.actor not like 'replay:%'))`,
    revived: `${inShadow} and s.base_id is not null and s.is_current and exists (
      select from memories l join memories n on n.tenant_id = l.tenant_id and n.id = l.superseded_by
      where l.tenant_id = s.tenant_id and l.id = s.base_id and l.valid_to is not null
        and l.archived_at is null and l.deleted_at is null and ${isReplayed('n', replay, IS_DONE)})`,
  };
}
