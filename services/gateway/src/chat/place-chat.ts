import { type AlikeChat, type NamedChat, readAlikeChats, readNamedChat, type Sql } from '@factmill/database';
import { contentText } from '@factmill/contracts';
import { type ChatMessage, type ChatPath, digest } from './chat-turns.ts';

/** Where the turns of a chat request belong. */
export type Place = Readonly<{ conversationId: string; userTurnId: string }>;

export type PlacedChat = Readonly<{
  tenantId: string;
  userId: string;
  /** The conversation that the client names, if it does. */
  memoryId: string | undefined;
  path: ChatPath;
  /** The client says that it tries again. */
  isRetry: boolean;
}>;

/**
 * Finds the conversation of a chat request and the id of its user turn: one that is stored where the same request is
 * sent again (a retry, a regenerated reply), another one where the user says the same again. A request that brings
 * the user's earlier messages is a history, known by its digest. One without can only be told by what was said since.
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
  return { conversationId: named.conversationId, userTurnId: placeInNamed(named, path, isRetry) };
}

/**
 * The id of a request's user turn in the conversation that it names. Without a history, the same words as the last turn
 * are that turn if the client tries again, goes on with it, was not answered yet, or if nothing else was said: then they
 * are the whole history.
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
 * The place of a request whose client names no conversation. With a history: the latest conversation that has the turn
 * before. Without: the latest one while the user stands there and has said nothing since, else a new one.
 */
export function placeInAlike(
  alike: readonly AlikeChat[],
  path: ChatPath,
  { baseId, isRetry }: Readonly<{ baseId: string; isRetry: boolean }>,
): Place {
  const place = (conversationId: string) => ({ conversationId, userTurnId: path.turnId });
  const [latest] = alike;
  if (latest === undefined) return place(baseId);
  if (path.hasHistory) return place((alike.find(({ continues }) => continues) ?? latest).conversationId);
  const standsThere =
    latest.lastUserId === null || (latest.lastUserId === path.turnId && latest.saidSince === null);
  if (isRetry || path.isContinued || standsThere) return place(latest.conversationId);
  // Named by what was said since, so that requests at the same time begin the same conversation.
  const since = latest.saidSince ?? `${latest.conversationId} ${latest.lastUserId}`;
  return place(`${baseId}.${digest(since).slice(0, 12)}`);
}

/**
 * The conversation of a chat whose client names none: clients send the whole history each time, so its first user
 * message tells one chat from another. Later chats that begin alike have ids that begin with this one and a dot.
 */
export function conversationIdOf(messages: readonly ChatMessage[], userId: string): string {
  const first = messages.find(({ role }) => role === 'user');
  return `chat-${digest(`${userId}\n${contentText(first?.content)}`)}`;
}

/** The conversation of a user's own in place of one that is another user's. */
export function ownConversationIdOf(conversationId: string, userId: string): string {
  return `chat-${digest(`${userId}\u0000${conversationId}`)}`;
}
