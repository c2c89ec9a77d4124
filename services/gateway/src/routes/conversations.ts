import { effectiveUser, ownerOf, principalOf, requirePermission, resolveUser } from '@factmill/auth';
import {
  type Conversation,
  createConversationSchema,
  deleteQuerySchema,
  externalIdSchema,
  flushSchema,
  listConversationsQuerySchema,
  listMessagesQuerySchema,
  patchConversationSchema,
  postMessagesSchema,
  timestampSchema,
  UNKNOWN_USER,
  userQuerySchema,
} from '@factmill/contracts';
import {
  assertNotHeld,
  type ConversationRow,
  createConversation,
  deleteConversation,
  findConversation,
  listConversations,
  listMessages,
  MAX_ANSWER_BYTES,
  purgeConversation,
  updateConversation,
} from '@factmill/database';
import { AppError } from '@factmill/errors';
import { decodeCursor, encodeCursor, validate } from '@factmill/http';
import { auditedBy } from '@factmill/runtime';
import { type Request, type Response, Router } from 'express';
import { z } from 'zod';
import { acceptFromRequest, type Incoming, partIdsOf } from '../accepting/accept-from-request.ts';
import { skippedOf } from '../accepting/skipped-of.ts';
import { toMessage } from '../conversations/message-form.ts';
import type { RouteDeps } from '../route-deps.ts';
import { UNKNOWN_USER_SKIPPED } from '../unknown-user.ts';

const conversationPositionSchema = z.tuple([timestampSchema, externalIdSchema]);
const messagePositionSchema = z.tuple([z.int32().min(0)]);

/** `/v1/conversations`. */
export function conversationRoutes(deps: RouteDeps): Router {
  const router = Router();
  const read = requirePermission('memory.read');
  const write = requirePermission('memory.write');

  router.post('/', write, async (request, response) => {
    const body = validate(createConversationSchema, request.body);
    const user = effectiveUser(
      resolveUser(body.user_id, principalOf(response), deps.config.auth.defaultUserId),
    );
    if (user === UNKNOWN_USER) {
      response.json({ id: null, ...UNKNOWN_USER_SKIPPED });
      return;
    }
    const { conversation, created } = await createConversation(deps.database.accept, {
      tenantId: principalOf(response).tenantId,
      id: body.id ?? deps.newId(),
      userId: user,
      project: body.project ?? null,
      title: body.title ?? null,
      policy: body.policy ?? {},
      metadata: body.metadata ?? {},
      staleAfterS: deps.schedule.stale_after_s,
    });
    if (!created && conversation.userId !== user) {
      throw new AppError(
        'conversation_user_mismatch',
        'A conversation with this id belongs to another user.',
        {
          fields: [{ field: 'id', message: 'is taken by another user' }],
        },
      );
    }
    response.status(created ? 201 : 200).json(toConversation(conversation));
  });

  router.get('/', read, async (request, response) => {
    const query = validate(listConversationsQuerySchema, request.query);
    const principal = principalOf(response);
    const user = effectiveUser(resolveUser(query.user_id, principal, deps.config.auth.defaultUserId));
    if (user === UNKNOWN_USER) {
      response.json({ data: [], next_cursor: null, ...UNKNOWN_USER_SKIPPED });
      return;
    }
    const position = decodeCursor(query.cursor, conversationPositionSchema);
    const rows = await listConversations(deps.database.list, {
      tenantId: principal.tenantId,
      userId: user,
      project: query.project ?? null,
      before: position === null ? null : { position: position[0], id: position[1] },
      limit: query.limit,
    });
    const last = rows.at(-1);
    response.json({
      data: rows.map(toConversation),
      next_cursor: last?.more !== true ? null : encodeCursor([last.position, last.id]),
    });
  });

  router.get('/:id', read, async (request, response) => {
    response.json(toConversation(await load(deps, request, response)));
  });

  router.patch('/:id', write, async (request, response) => {
    const body = validate(patchConversationSchema, request.body);
    const { id } = await load(deps, request, response, body.user_id);
    const { user_id: _user, ...changes } = body;
    const conversation = await updateConversation(
      deps.database.accept,
      { tenantId: principalOf(response).tenantId, id },
      changes,
      deps.schedule,
    );
    if (conversation === undefined) throw new AppError('not_found', 'There is no conversation with this id.');
    response.json(toConversation(conversation));
  });

  router.delete('/:id', write, async (request, response) => {
    const { user_id, purge } = validate(deleteQuerySchema, request.query);
    const { id, userId } = await load(deps, request, response, user_id);
    const owner = { tenantId: principalOf(response).tenantId, userId };
    if (purge === true) await purgeConversation(deps.database.batch, { ...owner, id }, auditedBy(response));
    else {
      await assertNotHeld(deps.database.list, owner);
      await deleteConversation(deps.database.batch, owner.tenantId, id);
    }
    response.status(204).end();
  });

  router.get('/:id/messages', read, async (request, response) => {
    const query = validate(listMessagesQuerySchema, request.query);
    const { id } = await load(deps, request, response, query.user_id);
    const position = decodeCursor(query.cursor, messagePositionSchema);
    const rows = await listMessages(deps.database.list, {
      tenantId: principalOf(response).tenantId,
      conversationId: id,
      afterSeq: position?.[0] ?? 0,
      toSeq: null,
      includeSuperseded: query.superseded ?? true,
      limit: query.limit,
      maxBytes: MAX_ANSWER_BYTES,
    });
    const last = rows.at(-1);
    response.json({
      data: rows.map(toMessage),
      next_cursor: last?.more !== true ? null : encodeCursor([last.seq]),
    });
  });

  router.post('/:id/messages', write, async (request, response) => {
    const body = validate(postMessagesSchema, request.body);
    const conversationId = validate(externalIdSchema, request.params['id']);
    await answerAccepted(deps, request, response, {
      conversationId,
      userId: body.user_id,
      messages: body.messages,
      extract: body.extract,
      regenerated: body.regenerated,
      trigger: body.extract === 'now' ? 'request' : 'messages',
    });
  });

  router.post('/:id/flush', write, async (request, response) => {
    const body = validate(flushSchema, request.body);
    const { id } = await load(deps, request, response, body.user_id);
    await answerAccepted(deps, request, response, {
      conversationId: id,
      userId: body.user_id,
      messages: [],
      extract: 'now',
      regenerated: false,
      trigger: 'flush',
    });
  });

  return router;
}

async function answerAccepted(
  deps: RouteDeps,
  request: Request,
  response: Response,
  incoming: Incoming,
): Promise<void> {
  const accepted = await acceptFromRequest(deps, request, response, incoming);
  if (!('extraction' in accepted)) {
    response.json({
      conversation_id: incoming.conversationId,
      message_ids: [],
      extraction: null,
      ...skippedOf(accepted),
    });
    return;
  }
  response.status(202).json({
    conversation_id: accepted.conversation_id,
    user_id: accepted.user_id,
    message_ids: accepted.message_ids,
    extraction:
      accepted.extraction === null
        ? null
        : {
            id: accepted.extraction.id,
            state: accepted.extraction.state,
            ...partIdsOf(accepted.extraction),
          },
  });
}

/**
 * The conversation in the path. When the request or its key names a user, the conversation must belong to that user.
 */
async function load(
  deps: RouteDeps,
  request: Request,
  response: Response,
  userId = validate(userQuerySchema.loose(), request.query).user_id,
): Promise<ConversationRow> {
  const id = validate(externalIdSchema, request.params['id']);
  const principal = principalOf(response);
  const owner = ownerOf(userId, principal);
  const conversation = await findConversation(deps.database.list, principal.tenantId, id);
  if (conversation === undefined || (owner !== null && conversation.userId !== owner)) {
    throw new AppError('not_found', 'There is no conversation with this id.');
  }
  return conversation;
}

function toConversation(row: ConversationRow): Conversation {
  return {
    id: row.id,
    user_id: row.userId,
    project: row.project,
    title: row.title,
    policy: row.policy,
    metadata: row.metadata,
    message_count: row.lastSeq,
    created_at: row.createdAt.toISOString(),
    last_active_at: row.lastActiveAt.toISOString(),
    extracted_at: row.extractedAt?.toISOString() ?? null,
    extracted_seq: row.extractedSeq,
    extraction_due_at: row.extractionDueAt?.toISOString() ?? null,
  };
}
