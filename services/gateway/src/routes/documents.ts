import { effectiveUser, ownerOf, principalOf, requirePermission, resolveUser } from '@factmill/auth';
import {
  type Document,
  externalIdSchema,
  listDocumentsQuerySchema,
  putDocumentSchema,
  timestampSchema,
  UNKNOWN_USER,
  userQuerySchema,
} from '@factmill/contracts';
import {
  assertNotHeld,
  deleteDocument,
  type DocumentRow,
  findConversation,
  findDocument,
  listDocuments,
} from '@factmill/database';
import { AppError } from '@factmill/errors';
import { decodeCursor, encodeCursor, localsOf, validate } from '@factmill/http';
import { type Request, type Response, Router } from 'express';
import { z } from 'zod';
import { createDocumentService } from '../documents/document-service.ts';
import type { RouteDeps } from '../route-deps.ts';
import { UNKNOWN_USER_SKIPPED } from '../unknown-user.ts';

const positionSchema = z.tuple([timestampSchema, externalIdSchema]);

/** `/v1/documents`. */
export function documentRoutes(deps: RouteDeps): Router {
  const router = Router();
  const read = requirePermission('memory.read');
  const write = requirePermission('memory.write');
  const service = createDocumentService(deps);
  const userOf = (userId: string | undefined, response: Response) =>
    effectiveUser(resolveUser(userId, principalOf(response), deps.config.auth.defaultUserId));

  router.post('/', write, async (request, response) => {
    const body = validate(putDocumentSchema, request.body);
    const { tenantId } = principalOf(response);
    const user = await userOfDocument(tenantId, body, response);
    if (user === UNKNOWN_USER) {
      response.json({ id: null, ...UNKNOWN_USER_SKIPPED });
      return;
    }
    const { document, outcome } = await service.put(tenantId, user, body);
    localsOf(response).eventFields['status'] = outcome;
    response.status(outcome === 'created' ? 201 : 200).json(toDocument(document));
  });

  /** The user of the request, else of the conversation, else the usual default. */
  async function userOfDocument(
    tenantId: string,
    body: { user_id?: string | undefined; conversation_id?: string | undefined },
    response: Response,
  ): Promise<string> {
    const isNamed = ownerOf(body.user_id, principalOf(response)) !== null;
    if (!isNamed && body.conversation_id !== undefined) {
      const conversation = await findConversation(deps.database.list, tenantId, body.conversation_id);
      if (conversation !== undefined) return conversation.userId;
    }
    return userOf(body.user_id, response);
  }

  router.get('/', read, async (request, response) => {
    const query = validate(listDocumentsQuerySchema, request.query);
    const userId = userOf(query.user_id, response);
    if (userId === UNKNOWN_USER) {
      response.json({ data: [], next_cursor: null, ...UNKNOWN_USER_SKIPPED });
      return;
    }
    const position = decodeCursor(query.cursor, positionSchema);
    const rows = await listDocuments(deps.database.list, {
      tenantId: principalOf(response).tenantId,
      userId,
      conversationId: query.conversation_id ?? null,
      project: query.project ?? null,
      before: position === null ? null : { position: position[0], id: position[1] },
      limit: query.limit,
    });
    const last = rows.at(-1);
    response.json({
      data: rows.map(toDocument),
      next_cursor: last?.more !== true ? null : encodeCursor([last.position, last.id]),
    });
  });

  router.get('/:id', read, async (request, response) => {
    const row = await findDocument(deps.database.list, targetOf(request, response));
    if (row === undefined) throw notFound();
    response.json({ ...toDocument(row), content: row.content });
  });

  router.delete('/:id', write, async (request, response) => {
    const target = targetOf(request, response);
    const row = await findDocument(deps.database.list, target);
    if (row === undefined) throw notFound();
    await assertNotHeld(deps.database.list, { tenantId: target.tenantId, userId: row.userId });
    if (!(await deleteDocument(deps.database.batch, target))) throw notFound();
    response.status(204).end();
  });

  return router;
}

function targetOf(request: Request, response: Response) {
  const principal = principalOf(response);
  return {
    tenantId: principal.tenantId,
    userId: ownerOf(validate(userQuerySchema, request.query).user_id, principal),
    id: validate(externalIdSchema, request.params['id']),
  };
}

function toDocument(row: DocumentRow): Document {
  return {
    id: row.id,
    user_id: row.userId,
    title: row.title,
    conversation_id: row.conversationId,
    project: row.project,
    metadata: row.metadata,
    characters: row.characters,
    chunks: row.chunkCount,
    created_at: row.createdAt.toISOString(),
    updated_at: row.updatedAt.toISOString(),
  };
}

function notFound(): AppError {
  return new AppError('not_found', 'There is no document with this id.');
}
