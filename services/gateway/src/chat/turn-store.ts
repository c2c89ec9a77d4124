import { type MessageInput, ownConversationIdOf, type PresetName } from '@factmill/contracts';
import { isAppError } from '@factmill/errors';
import { estimateTokens } from '@factmill/extraction';
import type { Logger } from '@factmill/telemetry';
import { createCounter, currentTraceparent, seriesOf } from '@factmill/telemetry';
import { setTimeout as delay } from 'node:timers/promises';
import type { RouteDeps } from '../route-deps.ts';
import type { Place } from './place-chat.ts';

/** How long turns wait for a database that is down before they are dropped, and how many turns may wait. */
const PATIENCE_MS = 60_000;
const RETRY_MS = 1_000;
const MAX_WAITING = 1_000;

/** Why turns were lost, as a metric label. */
const LOST_CODES: readonly string[] = ['database_unavailable', 'overloaded', 'internal', 'other'];

type Turns = Readonly<{
  tenantId: string;
  userId: string;
  /** Finds their conversation; called again after a failure. */
  place: () => Promise<Place>;
  messagesAt: (place: Place) => readonly MessageInput[];
  /** The last message answers the others; earlier answers to them are superseded. */
  endsWithReply: boolean;
  /** Kept by a conversation that they begin; null: it follows the deployment. */
  ownPreset: PresetName | null;
  /** Where the turn that they reply to is stored; null when it is not, and is stored with them. */
  after: StoredTurns | null;
}>;

/** Where turns are stored, and since when by the clock of the database. */
export type StoredTurns = Readonly<{ conversationId: string; acceptedAt: string }>;

export type TurnStore = Readonly<{
  /**
   * Stores turns as POST messages does; when another user has the conversation, in one of the user's own. A reply to a
   * turn that was deleted meanwhile is not stored: it would bring back an erased user. Never rejects; null when nothing
   * is stored.
   */
  store: (turns: Turns) => Promise<StoredTurns | null>;
  /** `close` waits for a followed exchange, because it stores its reply at its end. Returns the exchange. */
  follow: <T>(exchange: Promise<T>) => Promise<T>;
  /**
   * Resolves when no turn is being stored any more. Exchanges end by themselves, because their connections are
   * closed.
   */
  close: () => Promise<void>;
}>;

export type TurnStoreDeps = Pick<RouteDeps, 'accept' | 'newId' | 'now'> & Readonly<{ logger: Logger }>;

/**
 * Stores the turns of chats in the background: storage errors never fail a chat, and an outage of the database below
 * a minute loses nothing.
 */
export function createTurnStore(deps: TurnStoreDeps): TurnStore {
  const countLost = createCounter(
    'factmill_chat_turns_lost_total',
    'Chats whose turns could not be stored, by code',
    seriesOf({ code: LOST_CODES }),
  );
  const running = new Set<Promise<unknown>>();
  const followed = new Set<Promise<unknown>>();
  const closing = new AbortController();

  async function store(turns: Turns): Promise<StoredTurns | null> {
    const giveUpAt = deps.now().getTime() + PATIENCE_MS;
    for (;;) {
      try {
        return await accept(turns);
      } catch (error) {
        const code = isAppError(error) ? error.code : 'internal';
        const mayWait = code === 'database_unavailable' && running.size <= MAX_WAITING;
        if (!mayWait || deps.now().getTime() >= giveUpAt || closing.signal.aborted) {
          countLost(1, { code: LOST_CODES.includes(code) ? code : 'other' });
          deps.logger.warn({ code }, 'turns of a chat were not stored');
          return null;
        }
        await delay(RETRY_MS, undefined, { signal: closing.signal }).catch(() => undefined);
      }
    }
  }

  async function accept(turns: Turns): Promise<StoredTurns | null> {
    const place = await turns.place();
    const messages = turns.messagesAt(place);
    if (messages.length === 0) return null;
    try {
      return await acceptIn(turns.after?.conversationId ?? place.conversationId, place, messages, turns);
    } catch (error) {
      // Another user has created a conversation of this name in the meantime.
      if (!isAppError(error) || error.code !== 'conversation_user_mismatch') throw error;
      return acceptIn(ownConversationIdOf(place.conversationId, turns.userId), place, messages, turns);
    }
  }

  async function acceptIn(
    conversationId: string,
    { userTurnId }: Place,
    messages: readonly MessageInput[],
    turns: Turns,
  ): Promise<StoredTurns | null> {
    const accepted = await deps.accept({
      tenantId: turns.tenantId,
      userId: turns.userId,
      fallbackUserId: turns.userId,
      conversationId,
      messages: messages.map((message) => ({
        ...message,
        id: message.id ?? deps.newId(),
        tokenEstimate: estimateTokens(message.content ?? ''),
      })),
      extract: 'auto',
      regenerated: turns.endsWithReply,
      replyTo: turns.endsWithReply ? userTurnId : null,
      turnAcceptedAt: turns.after?.acceptedAt ?? null,
      extractionId: deps.newId(),
      trigger: 'chat',
      preset: null,
      ...(turns.ownPreset === null ? {} : { policy: { preset: turns.ownPreset } }),
      extractionMetadata: {},
      traceparent: currentTraceparent(),
      idempotencyKey: null,
      requestSha256: '',
    });
    return 'acceptedAt' in accepted ? { conversationId, acceptedAt: accepted.acceptedAt } : null;
  }

  return {
    store(turns) {
      const run = store(turns);
      running.add(run);
      void run.finally(() => running.delete(run));
      return run;
    },
    follow(exchange) {
      followed.add(exchange);
      const forget = () => followed.delete(exchange);
      exchange.then(forget, forget);
      return exchange;
    },
    async close() {
      closing.abort();
      await Promise.allSettled(followed);
      await Promise.allSettled(running);
    },
  };
}
