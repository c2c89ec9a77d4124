import type { Sql } from '../../pool/sql.ts';

/** The state of a named conversation, as far as a chat request's place depends on it. */
export type NamedChat = Readonly<{
  conversationId: string;
  /** The user's last turn; null when nothing is stored yet. */
  lastUserId: string | null;
  lastUserSeq: number | null;
  /** Whether it is the only user turn. */
  isOnlyOne: boolean;
  /** Whether it has a reply with text. */
  isAnswered: boolean;
  /** Whether the requested turn is stored. */
  isKnown: boolean;
  /** That of the conversation's policy; null when it has none, or is not stored yet. */
  preset: string | null;
}>;

/**
 * The state of the conversation that a chat names: the one of that id, or `ownId` where another user of the tenant
 * has it. `turnId` is the requested turn. Uses conversations_pkey, messages_pkey, messages_id_key.
 */
export function readNamedChat(
  sql: Sql,
  chat: Readonly<{ tenantId: string; userId: string; id: string; ownId: string; turnId: string }>,
): Promise<NamedChat> {
  return sql.one<NamedChat>(
    `with chosen as (
       select case when exists (select 1 from conversations
           where tenant_id = $1::uuid and id = $2::text and user_id <> $4::text)
         then $3::text else $2::text end as id
     )
     select chosen.id as "conversationId", last.id as "lastUserId", last.seq as "lastUserSeq",
       not exists (select 1 from messages m where m.tenant_id = $1::uuid and m.conversation_id = chosen.id
         and m.seq < last.seq and m.role = 'user') as "isOnlyOne",
       exists (select 1 from messages m where m.tenant_id = $1::uuid and m.conversation_id = chosen.id
         and m.seq > last.seq and m.role = 'assistant' and m.content is not null) as "isAnswered",
       exists (select 1 from messages m where m.tenant_id = $1::uuid and m.conversation_id = chosen.id
         and m.id = $5::text) as "isKnown",
       (select c.policy->>'preset' from conversations c
         where c.tenant_id = $1::uuid and c.id = chosen.id) as preset
     from chosen
     left join lateral (select m.id, m.seq from messages m
       where m.tenant_id = $1::uuid and m.conversation_id = chosen.id and m.role = 'user'
       order by m.seq desc limit 1) as last on true`,
    [chat.tenantId, chat.id, chat.ownId, chat.userId, chat.turnId],
    { name: 'read_named_chat' },
  );
}

/** One of the user's conversations with the same beginning. */
export type AlikeChat = Readonly<{
  conversationId: string;
  lastUserId: string | null;
  /** Whether it has the turn before the requested one. */
  continues: boolean;
  /**
   * The user's next message after that last turn, in any conversation: its conversation and number; null when there
   * is none, so that the user's latest turn is this one.
   */
  saidSince: string | null;
  /** That of the conversation's policy, if it has one. */
  preset: string | null;
}>;

/** Maximum of a user's conversations to search, latest first, and of those with the same beginning. */
const MAX_RECENT = 200;
const MAX_ALIKE = 20;

/**
 * The user's conversations that begin with the same words, latest first: their ids are `baseId`, or begin with it and
 * a dot. `previousId` is the turn before the requested one, null when there is none. Searches the latest
 * conversations and the one of `baseId`. Uses conversations_user_idx, messages_pkey, messages_id_key.
 */
export async function readAlikeChats(
  sql: Sql,
  chat: Readonly<{ tenantId: string; userId: string; baseId: string; previousId: string | null }>,
): Promise<AlikeChat[]> {
  const { rows } = await sql.query<AlikeChat>(
    `with recent as materialized (
       select id, last_active_at, policy->>'preset' as preset from conversations
       where tenant_id = $1::uuid and user_id = $2::text order by last_active_at desc limit ${MAX_RECENT}
     ), alike as materialized (
       select id, last_active_at, preset from recent where id = $3::text or starts_with(id, $3::text || '.')
       union
       select id, last_active_at, policy->>'preset' from conversations
       where tenant_id = $1::uuid and id = $3::text and user_id = $2::text
       order by last_active_at desc limit ${MAX_ALIKE}
     )
     select alike.id as "conversationId", last.id as "lastUserId", alike.preset,
       exists (select 1 from messages m where m.tenant_id = $1::uuid and m.conversation_id = alike.id
         and m.id = $4::text) as continues,
       (select recent.id || ' ' || m.seq from recent
          join lateral (select seq, received_at from messages m
            where m.tenant_id = $1::uuid and m.conversation_id = recent.id and m.role = 'user'
            order by m.seq desc limit 1) as m on m.received_at > last.received_at
        where recent.last_active_at > last.received_at
        order by m.received_at desc limit 1) as "saidSince"
     from alike
     left join lateral (select m.id, m.received_at from messages m
       where m.tenant_id = $1::uuid and m.conversation_id = alike.id and m.role = 'user'
       order by m.seq desc limit 1) as last on true
     order by alike.last_active_at desc`,
    [chat.tenantId, chat.userId, chat.baseId, chat.previousId],
    { name: 'read_alike_chats' },
  );
  return rows;
}
