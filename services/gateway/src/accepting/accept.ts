import { createBatcher } from '@factmill/async';
import type { QueueLimits } from '@factmill/config';
import type { Schedule } from '@factmill/contracts';
import {
  acceptConversations,
  type AcceptRequest,
  type AcceptResult,
  type DroppedExtraction,
  isRetryableConflict,
  type Sql,
} from '@factmill/database';
import { AppError, isAppError } from '@factmill/errors';
import { createCounter } from '@factmill/telemetry';
import type { QueuedExtraction } from '@factmill/queue';

/** Requests in one statement; measured best between 32 and 128 at 50 connections. */
const MAX_BATCH = 64;
const MAX_IN_FLIGHT = 2;
/** Requests that can be accepted together. */
export const MAX_ACCEPTING_AT_ONCE = MAX_BATCH * MAX_IN_FLIGHT;
/** A batch that loses to a concurrent transaction changes nothing and runs again, at most this often. */
const MAX_TRIES = 3;

export type AcceptDeps = Readonly<{
  database: Sql;
  /** Defaults for settings that were not changed. */
  limits: QueueLimits;
  schedule: Schedule;
  enqueueAccepted: (
    accepted: readonly QueuedExtraction[],
    dropped: readonly DroppedExtraction[],
  ) => Promise<void>;
  /**
   * Whether the queue shares the one session of embedded storage. A request that also waited for the queue would wait
   * twice for the statements that run there. So none does, unless a limit is in force, because the queue must keep it
   * when the request is answered.
   */
  sharesSession: boolean;
}>;

export type Accept = Readonly<{
  accept: (request: AcceptRequest) => Promise<AcceptOutcome>;
  /** Resolves when everything accepted so far was offered to the queue. */
  settled: () => Promise<void>;
}>;

type Outcome = Readonly<{ result: AcceptResult; acceptedAt: string; queued: Promise<void> }>;

/** The result of an accepted request. */
export type AcceptedRequest = Extract<AcceptResult, { status: 'accepted' | 'replayed' }> &
  Readonly<{
    /** By the clock of the database. */
    acceptedAt: string;
  }>;

/**
 * A request of which nothing was stored: the user is `unknown` or has memory off, or the turn of a reply has been
 * deleted.
 */
export type SkippedRequest =
  Readonly<{ status: 'unknown_user' | 'turn_deleted' }> | Extract<AcceptResult, { status: 'memory_off' }>;

export type AcceptOutcome = AcceptedRequest | SkippedRequest;

/**
 * Accepts messages: when the promise resolves, everything is committed to Postgres, whatever the queue does.
 * Concurrent requests share a transaction. Nothing is stored when the user is `unknown` or has memory off, or the turn of
 * a reply has been deleted.
 *
 * @throws AppError `idempotency_conflict`, `conversation_user_mismatch`, `message_conflict`, `database_unavailable`
 */
export function createAccept(deps: AcceptDeps): Accept {
  const enqueuing = new Set<Promise<void>>();
  const countMessages = createCounter(
    'factmill_messages_accepted_total',
    'Messages of requests that were accepted',
    [{}],
  );

  async function run(requests: readonly AcceptRequest[]): Promise<Outcome[]> {
    // All batches lock conversations in the same order, so that two of them never wait for each other.
    const order = requests
      .map((request, index) => ({ request, index }))
      .sort((left, right) => compare(lockKey(left.request), lockKey(right.request)));
    const accepted = await untilSettled(() =>
      acceptConversations(
        deps.database,
        order.map(({ request }) => request),
        deps.limits,
        deps.schedule,
      ),
    );
    const fresh = accepted.results.flatMap((result, place) => {
      const request = order[place]?.request;
      if (request === undefined || !('extraction' in result) || result.extraction?.enqueue !== true)
        return [];
      const { id, part_ids: partIds = [id] } = result.extraction;
      return partIds.map((part) => ({ id: part, tenantId: request.tenantId, generation: 0 }));
    });
    const enqueued = deps.enqueueAccepted(fresh, accepted.dropped);
    enqueuing.add(enqueued);
    void enqueued.finally(() => enqueuing.delete(enqueued));
    const queued = deps.sharesSession && !accepted.isLimited ? Promise.resolve() : enqueued;
    const outcomes: Outcome[] = [];
    for (const [place, { index }] of order.entries()) {
      const result = accepted.results[place];
      if (result !== undefined) outcomes[index] = { result, acceptedAt: accepted.acceptedAt, queued };
    }
    return outcomes;
  }

  const batcher = createBatcher<AcceptRequest, Outcome>({
    maxSize: MAX_BATCH,
    maxInFlight: MAX_IN_FLIGHT,
    run,
    failureOf: (error) => (isAppError(error) && error.kind === 'unavailable' ? 'batch' : 'item'),
  });

  const accept: Accept['accept'] = async (request) => {
    const { result, acceptedAt, queued } = await batcher.submit(request);
    await queued;
    switch (result.status) {
      case 'unknown_user':
      case 'turn_deleted':
        return { status: result.status };
      case 'memory_off':
        return result;
      case 'idempotency_conflict':
        throw new AppError(
          'idempotency_conflict',
          'This Idempotency-Key was used with a different request; use a new key for a new request.',
          { fields: [{ field: 'Idempotency-Key', message: 'was used with a different request' }] },
        );
      case 'user_mismatch':
        throw new AppError(
          'conversation_user_mismatch',
          'This conversation belongs to another user; leave user_id out or use another conversation id.',
          { fields: [{ field: 'user_id', message: 'is not the user of this conversation' }] },
        );
      case 'message_conflict':
        throw messageConflict(request, result.conflicts);
      default:
        if (result.status === 'accepted') countMessages(request.messages.length);
        return { ...result, acceptedAt };
    }
  };
  return {
    accept,
    settled: async () => {
      await Promise.all(enqueuing);
    },
  };
}

function messageConflict({ messages }: AcceptRequest, conflicts: readonly string[]): AppError {
  const fields = messages.flatMap(({ id }, place) =>
    conflicts.includes(id)
      ? [
          {
            field: `messages.${place}.id`,
            message: `${JSON.stringify(id)} stands for another message of this conversation`,
          },
        ]
      : [],
  );
  return new AppError(
    'message_conflict',
    'A message id is known in this conversation with another role, content, name, channel, sender or tool call; nothing of this request is stored. Messages do not change: send a new one with an id of its own.',
    { fields },
  );
}

/**
 * Runs again after a deadlock with a deletion, or when a row disappeared between two statements: the transaction
 * changed nothing.
 */
async function untilSettled<T>(run: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await run();
    } catch (error) {
      if (attempt >= MAX_TRIES || !isRetryableConflict(error)) throw error;
    }
  }
}

function lockKey(request: AcceptRequest): string {
  return `${request.tenantId} ${request.conversationId}`;
}

function compare(left: string, right: string): number {
  return left < right ? -1 : left > right ? 1 : 0;
}
