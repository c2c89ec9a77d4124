import { effectiveUser, isPermitted, type Principal, resolveUser } from '@factmill/auth';
import { UNKNOWN_USER } from '@factmill/contracts';
import type { ChatRequest } from './chat-request.ts';

/** The owner of the memory that a chat uses. */
export type ChatMemory = Readonly<{
  tenantId: string;
  userId: string;
  /** The conversation that the chat names, if any. */
  memoryId: string | undefined;
  canWrite: boolean;
}>;

/** Why a chat has no memory. */
export type NoMemory = 'off' | 'unknown_user' | 'forbidden' | 'too_large';

/**
 * The user whose memory a chat uses, or why it has none.
 *
 * @throws AppError `user_locked` when the key belongs to another user
 */
export function memoryOf(
  chat: ChatRequest,
  isOn: boolean,
  principal: Principal,
  defaultUserId: string,
): ChatMemory | NoMemory {
  const { memory_id: memoryId } = chat.memory;
  // Also checked with memory off: a locked key may only act for its own user.
  const resolved = effectiveUser(resolveUser(chat.userId, principal, defaultUserId));
  if (!isOn && memoryId === undefined) return 'off';
  // A `memory_id` without any user is a user of its own.
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
