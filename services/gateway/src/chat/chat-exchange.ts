import type { MessageInput, PresetName } from '@factmill/contracts';
import { type ChatPath, type ChatReply, replyTurn, turnsOf } from './chat-turns.ts';
import type { Place, PlacedChat } from './place-chat.ts';
import type { StoredTurns, TurnStore } from './turn-store.ts';

export type ChatExchangeDeps = Readonly<{
  turnStore: TurnStore;
  /** Finds the conversation and user turn of a chat. */
  place: (chat: PlacedChat) => Promise<Place>;
}>;

/** Stores one request of a chat and its answer. Storing never rejects, so that it cannot fail the chat. */
export type ChatExchange = Readonly<{
  /** The conversation of the chat. Rejects while the database is down. */
  place: () => Promise<Place>;
  /** Stores the user's message and the tool calls that came with it. */
  storeTurns: () => Promise<void>;
  /**
   * Stores the answer, and the turns with it in case they could not be stored before. When they were, and have been
   * deleted since, nothing is stored. Call after `storeTurns`.
   */
  storeReply: (reply: ChatReply) => Promise<void>;
}>;

/**
 * @param chat the request; `canWrite` is false for a read-only key: then nothing is stored. `ownPreset` is kept by a
 *   conversation that the chat begins.
 */
export function openExchange(
  deps: ChatExchangeDeps,
  {
    canWrite,
    ownPreset,
    ...chat
  }: PlacedChat & Readonly<{ canWrite: boolean; ownPreset: PresetName | null }>,
): ChatExchange {
  const { tenantId, userId, path } = chat;
  const place = untilItSucceeds(() => deps.place(chat));
  let stored: StoredTurns | null = null;

  async function store(messagesAt: (place: Place) => MessageInput[], endsWithReply: boolean) {
    if (!canWrite) return null;
    const turns = { tenantId, userId, place, messagesAt, endsWithReply, ownPreset };
    return deps.turnStore.store({ ...turns, after: endsWithReply ? stored : null });
  }

  return {
    place,
    async storeTurns() {
      stored = await store(({ userTurnId }) => turnsOf(path, userTurnId), false);
    },
    async storeReply(reply) {
      await store(({ userTurnId }) => withReply(path, reply, userTurnId), true);
    },
  };
}

function withReply(path: ChatPath, reply: ChatReply, userTurnId: string): MessageInput[] {
  const turn = replyTurn(path, reply, userTurnId);
  return turn === null ? [] : [...turnsOf(path, userTurnId), turn];
}

/**
 * Repeats the call until it succeeds once, and then returns that result: all parts of an exchange belong to the same
 * place.
 */
function untilItSucceeds<T>(ask: () => Promise<T>): () => Promise<T> {
  let answer: Promise<T> | undefined;
  return () => {
    answer ??= ask().catch((error: unknown) => {
      answer = undefined;
      throw error;
    });
    return answer;
  };
}
