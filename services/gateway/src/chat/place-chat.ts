import { type AlikeChat, type NamedChat, readAlikeChats, readNamedChat, type Sql } from '@factmill/database';
import { contentText, ownConversationIdOf, shortDigest } from '@factmill/contracts';
import type { ChatMessage, ChatPath } from './chat-turns.ts';

/** The conversation and user turn of a chat request, and the preset of the conversation's policy, if it has one. */
export type Place = Readonly<{ conversationId: string; userTurnId: string; preset: string | null }>;

export type PlacedChat = Readonly<{
  tenantId: string;
  userId: string;
  /** The conversation that the client names, if any. */
  memoryId: string | undefined;
  path: ChatPath;
  /** The client says that this is a retry. */
  isRetry: boolean;
}>;

/**
 * Finds the conversation of a chat request and the id of its user turn. A repeated request (a retry, a regenerated
 * reply) keeps the stored id; the same words said again get a new one. A request with the user's earlier messages is
 * recognised by the digest of that history; one without only by the stored turns.
 *
 * @throws AppError `database_unavailable`
 */
export async function placeChat(database: Sql, chat: PlacedChat): Promise<Place> {
  const { tenantId, userId, memoryId, path, isRetry } = chat;
  if (memoryId === undefined) {
    const baseId = conversationIdOf([path.first], userId);
    const { previousId } = path;
    const alike = await readAlikeChats(database, { tenantId, userId, baseId, previousId });
    return placeInAlike(alike, path, { baseId, isRetry });
  }
  const named = await readNamedChat(database, {
    tenantId,
    userId,
    id: memoryId,
    ownId: ownConversationIdOf(memoryId, userId),
    turnId: path.turnId,
  });
  const { conversationId, preset } = named;
  return { conversationId, preset, userTurnId: placeInNamed(named, path, isRetry) };
}

/**
 * The id of the user turn in a named conversation. Without a history, the words of the last turn are that turn again
 * if the client retries, continues it, has no answer yet, or if it is the only turn: then it is the whole history.
 */
export function placeInNamed(named: NamedChat, path: ChatPath, isRetry: boolean): string {
  const { lastUserId, lastUserSeq } = named;
  if (path.hasHistory) return path.turnId;
  const saysItAgain = lastUserId === path.turnId || lastUserId?.startsWith(`${path.turnId}~`) === true;
  const isSame = isRetry || path.isContinued || !named.isAnswered || named.isOnlyOne;
  if (saysItAgain && isSame) return lastUserId;
  if (!named.isKnown || isRetry) return path.turnId;
  return `${path.turnId}~${lastUserSeq ?? 0}`;
}

/**
 * The place of a request without a named conversation. With a history: the latest conversation that has the turn
 * before. Without: the latest one if the user has said nothing elsewhere since, else a new one.
 */
export function placeInAlike(
  alike: readonly AlikeChat[],
  path: ChatPath,
  { baseId, isRetry }: Readonly<{ baseId: string; isRetry: boolean }>,
): Place {
  const place = (conversationId: string, preset: string | null) => ({
    conversationId,
    preset,
    userTurnId: path.turnId,
  });
  const placeIn = (chat: AlikeChat) => place(chat.conversationId, chat.preset);
  const [latest] = alike;
  if (latest === undefined) return place(baseId, null);
  if (path.hasHistory) return placeIn(alike.find(({ continues }) => continues) ?? latest);
  const standsThere =
    latest.lastUserId === null || (latest.lastUserId === path.turnId && latest.saidSince === null);
  if (isRetry || path.isContinued || standsThere) return placeIn(latest);
  // The new id depends on the latest turn, so that parallel requests begin the same conversation.
  const since = latest.saidSince ?? `${latest.conversationId} ${latest.lastUserId}`;
  return place(`${baseId}.${shortDigest(since).slice(0, 12)}`, null);
}

/**
 * The conversation id of a chat whose client names none. Clients send the whole history each time, so the first user
 * message identifies a chat. Later chats with the same beginning get this id, a dot and a suffix.
 */
export function conversationIdOf(messages: readonly ChatMessage[], userId: string): string {
  const first = messages.find(({ role }) => role === 'user');
  return `chat-${shortDigest(`${userId}\n${contentText(first?.content)}`)}`;
}
