import { effectiveUser, isPermitted, type Principal, resolveUser } from '@factmill/auth';
import { UNKNOWN_USER } from '@factmill/contracts';
import type { ChatRequest } from './chat-request.ts';

/** Whose memory a chat uses. */
export type ChatMemory = Readonly<{
  tenantId: string;
  userId: string;
  /** The conversation that the chat names, if it does. */
  memoryId: string | undefined;
  canWrite: boolean;
}>;

/** Why a chat has no memory. */
export type NoMemory = 'off' | 'unknown_user' | 'forbidden' | 'too_large';

/**
 * Whose memory a chat uses, or why none.
 *
 * @throws AppError `user_locked` when the key speaks for another user
 */
export function memoryOf(
  chat: ChatRequest,
  isOn: boolean,
  principal: Principal,
  defaultUserId: string,
): ChatMemory | NoMemory {
  const { memory_id: memoryId } = chat.memory;
  // Whether memory is on or not: a locked key speaks for its own user only.
  const resolved = effectiveUser(resolveUser(chat.userId, principal, defaultUserId));
  if (!isOn && memoryId === undefined) return 'off';
  // A memory that the caller names is one of its own when nothing says whose it is.
  const userId = resolved === UNKNOWN_USER ? (memoryId ?? UNKNOWN_USER) : resolved;
  if (userId === UNKNOWN_USER) return 'unknown_user';
  if (!isPermitted(principal, 'memory.read')) return 'forbidden';
  if (chat.messages === null) return 'too_large';
  return {
    tenantId: principal.tenantId,
    userId,
    memoryId,
    canWrite: isPermitted(principal, 'memory.write'),
  };
}
