import { ownerOf, type Principal, principalOf, requirePermission } from '@factmill/auth';
import { createEnqueueAccepted } from '@factmill/queue';
import {
  createExtractionSchema,
  type Extraction,
  listExtractionsQuerySchema,
  replayExtractionsSchema,
  uuidParamsSchema,
} from '@factmill/contracts';
import {
  type ExtractionRow,
  findExtraction,
  hasEmptiedMessages,
  listExtractions,
  type ReplayedExtraction,
  replayExtractions,
} from '@factmill/database';
import { AppError } from '@factmill/errors';
import { decodeCursor, encodeCursor, validate } from '@factmill/http';
import { type Response, Router } from 'express';
import { z } from 'zod';
import { acceptFromRequest, partIdsOf } from '../accepting/accept-from-request.ts';
import { listedUser } from '../listed-user.ts';
import type { RouteDeps } from '../route-deps.ts';
import { skippedOf } from '../accepting/skipped-of.ts';

/** Maximum of extractions per bulk replay. */
const REPLAY_LIMIT = 1_000;

const positionSchema = z.tuple([z.int().min(0)]);

/** `/v1/extractions`. */
export function extractionRoutes(deps: RouteDeps): Router {
  const router = Router();
  const read = requirePermission('memory.read');
  const write = requirePermission('memory.write');
  const enqueue = createEnqueueAccepted({ queues: deps.queues, logger: deps.logger, findDropped: null });

  router.post('/', write, async (request, response) => {
    const body = validate(createExtractionSchema, request.body);
    const accepted = await acceptFromRequest(deps, request, response, {
      conversationId: body.conversation_id ?? deps.newId(),
      userId: body.user_id,
      messages: body.messages,
      extract: 'now',
      regenerated: false,
      trigger: 'request',
      preset: body.preset,
      metadata: body.metadata,
    });
    if (!('extraction' in accepted)) {
      response.json({
        id: null,
        state: 'skipped',
        status_url: null,
        conversation_id: null,
        ...skippedOf(accepted),
      });
      return;
    }
    const id = accepted.extraction?.id ?? null;
    response.status(202).json({
      id,
      state: accepted.extraction?.state ?? 'skipped',
      ...partIdsOf(accepted.extraction),
      status_url: id === null ? null : `/v1/extractions/${id}`,
      conversation_id: accepted.conversation_id,
      user_id: accepted.user_id,
    });
  });

  router.get('/', read, async (request, response) => {
    const query = validate(listExtractionsQuerySchema, request.query);
    const position = decodeCursor(query.cursor, positionSchema);
    const principal = principalOf(response);
    const rows = await listExtractions(deps.database.list, {
      tenantId: principal.tenantId,
      state: query.state ?? null,
      reason: query.reason ?? null,
      errorClass: query.error_class ?? null,
      trigger: query.trigger ?? null,
      userId: userOfList(query, response),
      conversationId: query.conversation_id ?? null,
      since: query.since ?? null,
      until: query.until ?? null,
      beforeNo: position?.[0] ?? null,
      limit: query.limit,
    });
    const last = rows.at(-1);
    response.json({
      data: rows.map(toExtraction),
      next_cursor: last?.more !== true ? null : encodeCursor([last.acceptedNo]),
    });
  });

  router.get('/:id', read, async (request, response) => {
    const { id } = validate(uuidParamsSchema, request.params);
    const row = await find(principalOf(response), id);
    if (row === undefined) throw new AppError('not_found', 'There is no extraction with this id.');
    response.json(toExtraction(row));
  });

  function find(principal: Principal, id: string): Promise<ExtractionRow | undefined> {
    return findExtraction(deps.database.list, principal.tenantId, id, ownerOf(undefined, principal));
  }

  async function replay(
    tenantId: string,
    filter: Omit<Parameters<typeof replayExtractions>[1], 'tenantId' | 'limit'>,
  ) {
    const rows = await replayExtractions(
      // It may drop the oldest extraction of any tenant.
      deps.allTenants,
      { tenantId, ...filter, limit: REPLAY_LIMIT },
      await deps.limits(),
    );
    await enqueue(rows, []);
    return { replayed: rows.length, ids: rows.map((row: ReplayedExtraction) => row.id) };
  }

  router.post('/replay', write, async (request, response) => {
    const body = validate(replayExtractionsSchema, request.body);
    const principal = principalOf(response);
    const answer = await replay(principal.tenantId, {
      ids: null,
      state: body.state,
      userId: listedUser(body, response),
      since: body.since ?? null,
      until: body.until ?? null,
    });
    response.status(202).json(answer);
  });

  router.post('/:id/replay', write, async (request, response) => {
    const { id } = validate(uuidParamsSchema, request.params);
    const principal = principalOf(response);
    const userId = ownerOf(undefined, principal);
    const answer = await replay(principal.tenantId, {
      ids: [id],
      state: null,
      userId,
      since: null,
      until: null,
    });
    if (answer.replayed === 0) {
      const row = await find(principal, id);
      if (row === undefined) throw new AppError('not_found', 'There is no extraction with this id.');
      if (row.state !== 'pending' && row.state !== 'active') {
        if (await hasEmptiedMessages(deps.database.list, principal.tenantId, id)) {
          throw new AppError('state_conflict', 'Retention has removed what its messages said.');
        }
        throw new AppError('overloaded', 'The queue is at its limit; replay when there is room.', {
          retryAfterSeconds: 5,
        });
      }
      throw new AppError(
        'state_conflict',
        `The extraction is ${row.state}; only an ended one can be replayed.`,
      );
    }
    response.status(202).json(answer);
  });

  return router;
}

/** A conversation has one user, so a request that names one has named its user. */
function userOfList(query: z.output<typeof listExtractionsQuerySchema>, response: Response): string | null {
  const principal = principalOf(response);
  const namesOne = query.conversation_id !== undefined && query.all_users !== true;
  if (namesOne && principal.pinnedUserId === null) return ownerOf(query.user_id, principal);
  return listedUser(query, response);
}

function between(from: Date | null, to: Date | null): number | null {
  return from === null || to === null ? null : Math.max(0, to.getTime() - from.getTime());
}

/** The error of an extraction, or the reason why one that was never tried still waits. */
function errorOf(row: ExtractionRow): Pick<Extraction, 'error'> {
  if (row.errorClass !== null) return { error: { class: row.errorClass, message: row.errorMessage ?? '' } };
  if (row.outage === null) return {};
  return {
    error: {
      class: row.outage,
      message: 'The model is not available, as other extractions found. This one follows when it is.',
    },
  };
}

function toExtraction(row: ExtractionRow): Extraction {
  return {
    id: row.id,
    state: row.state,
    user_id: row.userId,
    conversation_id: row.conversationId,
    trigger: row.trigger,
    first_seq: row.fromSeq,
    last_seq: row.toSeq,
    preset: row.preset,
    attempts: row.attempts,
    reason: row.reason,
    deferred_until: row.deferredUntil?.toISOString() ?? null,
    counts: {
      added: row.added,
      updated: row.updated,
      deleted: row.deleted,
      unchanged: row.unchanged,
      rejected: row.rejected,
    },
    memory_ids: row.memoryIds,
    ...(row.rejections === null ? {} : { rejections: row.rejections }),
    ...(row.degraded === null ? {} : { degraded: row.degraded }),
    ...errorOf(row),
    timings: {
      accepted_at: row.acceptedAt.toISOString(),
      started_at: row.startedAt?.toISOString() ?? null,
      finished_at: row.finishedAt?.toISOString() ?? null,
      next_attempt_at: row.nextAttemptAt?.toISOString() ?? null,
      queued_ms: between(row.acceptedAt, row.startedAt),
      model_ms: row.modelMs,
      embed_ms: row.embedMs,
      apply_ms: row.applyMs,
      total_ms: between(row.acceptedAt, row.finishedAt),
    },
    usage: {
      model: row.model,
      model_calls: row.modelCalls,
      prompt_tokens: row.promptTokens,
      completion_tokens: row.completionTokens,
    },
    metadata: row.metadata,
  };
}
