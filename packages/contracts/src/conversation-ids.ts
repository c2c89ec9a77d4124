import { createHash } from 'node:crypto';
import { GLOBAL_SCOPE } from './memories.ts';

/** The conversation of a chat that names none, where conversations keep what they know to themselves. */
export const DEFAULT_CONVERSATION = 'default';

/** The first 144 bits of a text's SHA-256, in 24 characters that an id may have. */
export function shortDigest(text: string): string {
  return createHash('sha256').update(text).digest('base64url').slice(0, 24);
}

/** The id of a user's own conversation when another user already has this one. */
export function ownConversationIdOf(conversationId: string, userId: string): string {
  return `chat-${shortDigest(`${userId}\u0000${conversationId}`)}`;
}

/** The ids that a user's conversation `global` can have. What is said in it is for all conversations of the user. */
export function globalConversationsOf(userId: string): readonly string[] {
  return [GLOBAL_SCOPE, ownConversationIdOf(GLOBAL_SCOPE, userId)];
}
