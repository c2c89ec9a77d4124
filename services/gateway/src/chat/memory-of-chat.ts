import { effectiveUser, isPermitted, type Principal, resolveUser } from '@factmill/auth';
import { DEFAULT_CONVERSATION, UNKNOWN_USER } from '@factmill/contracts';
import type { Preset } from '@factmill/extraction';
import type { ChatRequest } from './chat-request.ts';

/** The owner of the memory that a chat uses. */
export type ChatMemory = Readonly<{
  tenantId: string;
  userId: string;
  /** The conversation that the chat names, or that its preset gives to chats that name none. */
  memoryId: string | undefined;
  canWrite: boolean;
}>;

/** Why a chat has no memory. */
export type NoMemory = 'off' | 'unknown_user' | 'forbidden' | 'too_large';

/**
 * The user whose memory a chat uses, or why it has none. Where conversations keep what they know to themselves, a chat
 * that names none belongs to `default` (E15), and without any user all of them belong to one.
 *
 * @throws AppError `user_locked` when the key belongs to another user
 */
export function memoryOf(
  chat: ChatRequest,
  { isOn, memoryScope }: Readonly<{ isOn: boolean }> & Pick<Preset, 'memoryScope'>,
  principal: Principal,
  defaultUserId: string,
): ChatMemory | NoMemory {
  const keepsApart = memoryScope === 'conversation';
  const memoryId = chat.memory.memory_id ?? (keepsApart && isOn ? DEFAULT_CONVERSATION : undefined);
  // Also checked with memory off: a locked key may only act for its own user.
  const resolved = effectiveUser(resolveUser(chat.userId, principal, defaultUserId));
  if (!isOn && memoryId === undefined) return 'off';
  // A `memory_id` without any user is a user of its own; a request that names the unknown user means that.
  const ofNobody = keepsApart ? DEFAULT_CONVERSATION : (memoryId ?? UNKNOWN_USER);
  const userId = resolved === UNKNOWN_USER && chat.userId !== UNKNOWN_USER ? ofNobody : resolved;
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
