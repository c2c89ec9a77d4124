import { assertAllUsers, effectiveUser, principalOf, requirePermission, resolveUser } from '@factmill/auth';
import {
  batchMemoriesSchema,
  createMemorySchema,
  deleteMemoriesQuerySchema,
  deleteQuerySchema,
  getMemoryQuerySchema,
  type ListMemoriesQuery,
  listMemoriesQuerySchema,
  listVersionsQuerySchema,
  patchMemorySchema,
  SORTED_CHARACTERS,
  text,
  timestampSchema,
  UNKNOWN_USER,
  uuidSchema,
} from '@factmill/contracts';
import {
  audited,
  deleteMemories,
  containing,
  findMemory,
  listMemories,
  listMemoryVersions,
  type PurgedMemories,
  purgeMemories,
  restoreMemory,
  toMemory,
  typeOfSort,
} from '@factmill/database';
import { AppError } from '@factmill/errors';
import { decodeCursor, encodeCursor, localsOf, validate } from '@factmill/http';
import { auditedBy } from '@factmill/runtime';
import { type Response, Router } from 'express';
import { z } from 'zod';
import { actorOf } from '../actor.ts';
import { createMemoryService } from '../memories/memory-service.ts';
import { noSuchMemory, targetOf } from '../memories/memory-target.ts';
import { toVersion } from '../memories/version.ts';
import type { RouteDeps } from '../route-deps.ts';
import { UNKNOWN_USER_SKIPPED } from '../unknown-user.ts';

/** A cursor is valid only for the order of its list. */
function orderOf(query: ListMemoriesQuery): string {
  return `${query.sort_by} ${query.order}`;
}

const versionPositionSchema = z.tuple([timestampSchema, uuidSchema, z.int32().min(0)]);

/** What the database can read back, by the type of the field that a list is sorted by. */
const SORTED_VALUES = {
  timestamptz: timestampSchema,
  date: z.iso.date(),
  real: z.number(),
  smallint: z.int().min(-32_768).max(32_767),
  integer: z.int32(),
  // A character can be two in a JavaScript string.
  text: text(2 * SORTED_CHARACTERS),
  uuid: uuidSchema,
};

function positionSchemaOf(query: ListMemoriesQuery) {
  return z.tuple([z.literal(orderOf(query)), SORTED_VALUES[typeOfSort(query.sort_by)], uuidSchema]);
}

/** `/v1/memories`, without search. */
export function memoryRoutes(deps: RouteDeps): Router {
  const router = Router();
  const read = requirePermission('memory.read');
  const write = requirePermission('memory.write');
  const service = createMemoryService(deps);
  const userOf = (userId: string | undefined, response: Response) =>
    effectiveUser(resolveUser(userId, principalOf(response), deps.config.auth.defaultUserId));

  /** Deletes memories, or with `purge` removes them for good; resolves to how many. */
  async function remove(target: PurgedMemories, purge: boolean | undefined, response: Response) {
    if (purge === true) return purgeMemories(deps.database.batch, target, auditedBy(response));
    return (await deleteMemories(deps.database.batch, target, actorOf(response))).length;
  }

  router.post('/', write, async (request, response) => {
    const { user_id, ...input } = validate(createMemorySchema, request.body);
    const userId = userOf(user_id, response);
    if (userId === UNKNOWN_USER) {
      response.json({ id: null, ...UNKNOWN_USER_SKIPPED });
      return;
    }
    const { tenantId } = principalOf(response);
    const [written] = await service.save(tenantId, [{ userId, input }], actorOf(response));
    const id = written?.id ?? null;
    const row = id === null ? undefined : await findMemory(deps.database.list, { tenantId, userId, id });
    if (row === undefined)
      throw new AppError('memory_conflict', 'The memory was changed by another request; send it again.');
    localsOf(response).eventFields['status'] = written?.status ?? 'skipped';
    response.status(201).json(toMemory(row));
  });

  router.post('/batch', write, async (request, response) => {
    const body = validate(batchMemoriesSchema, request.body);
    const items = body.memories.map(({ user_id, ...input }) => ({
      userId: userOf(user_id ?? body.user_id, response),
      input,
    }));
    const results = await service.save(principalOf(response).tenantId, items, actorOf(response));
    const skipped = items.some((item) => item.userId === UNKNOWN_USER);
    response.status(201).json({
      results: results.map(({ id, status }) => ({ id, status })),
      ...(skipped ? { skipped: UNKNOWN_USER_SKIPPED.skipped } : {}),
    });
  });

  router.get('/', read, async (request, response) => {
    const query = validate(listMemoriesQuerySchema, request.query);
    const principal = principalOf(response);
    if (query.all_users) {
      assertAllUsers(principal);
      localsOf(response).eventFields['all_users'] = true;
    }
    const userId = query.all_users ? null : userOf(query.user_id, response);
    if (userId === UNKNOWN_USER) {
      response.json({ data: [], next_cursor: null, ...UNKNOWN_USER_SKIPPED });
      return;
    }
    const position = decodeCursor(query.cursor, positionSchemaOf(query));
    const rows = await listMemories(deps.database.list, {
      tenantId: principal.tenantId,
      userId,
      query,
      pattern: query.q === undefined ? null : containing(query.q),
      after: position === null ? null : [position[1], position[2]],
    });
    const last = rows.at(-1);
    response.json({
      data: rows.map(toMemory),
      next_cursor: last?.more !== true ? null : encodeCursor([orderOf(query), last.position, last.id]),
    });
  });

  router.delete('/', write, async (request, response) => {
    const query = validate(deleteMemoriesQuerySchema, request.query);
    const userId = userOf(query.user_id, response);
    const { tenantId } = principalOf(response);
    const target = { tenantId, userId, id: null, key: query.key, category: query.category ?? null };
    const deleted = userId === UNKNOWN_USER ? 0 : await remove(target, query.purge, response);
    response.json({
      deleted,
      ...(userId === UNKNOWN_USER ? UNKNOWN_USER_SKIPPED : {}),
    });
  });

  router.get('/:id', read, async (request, response) => {
    const { user_id, include_deleted: includeDeleted = false } = validate(
      getMemoryQuerySchema,
      request.query,
    );
    const target = targetOf(request, response, user_id ?? null);
    const row = await findMemory(deps.database.list, { ...target, includeDeleted });
    if (row === undefined) throw noSuchMemory();
    response.json(toMemory(row));
  });

  router.patch('/:id', write, async (request, response) => {
    const { user_id, ...patch } = validate(patchMemorySchema, request.body);
    const target = targetOf(request, response, user_id);
    const row = await service.patch(target, patch, actorOf(response));
    if (row === undefined) throw noSuchMemory();
    response.json(toMemory(row));
  });

  router.delete('/:id', write, async (request, response) => {
    const { user_id, purge } = validate(deleteQuerySchema, request.query);
    const target = { ...targetOf(request, response, user_id ?? null), key: null, category: null };
    if ((await remove(target, purge, response)) === 0) throw noSuchMemory();
    response.status(204).end();
  });

  router.get('/:id/history', read, async (request, response) => {
    const { user_id, limit, cursor } = validate(listVersionsQuerySchema, request.query);
    const position = decodeCursor(cursor, versionPositionSchema);
    const versions = await listMemoryVersions(deps.database.list, {
      ...targetOf(request, response, user_id ?? null),
      after: position === null ? null : { position: position[0], memoryId: position[1], number: position[2] },
      limit,
    });
    if (versions.length === 0) throw noSuchMemory();
    const last = versions.at(-1);
    response.json({
      data: versions.map(toVersion),
      next_cursor: last?.more !== true ? null : encodeCursor([last.position, last.memoryId, last.number]),
    });
  });

  router.post('/:id/restore', write, async (request, response) => {
    const target = targetOf(request, response);
    const row = await service.unlessTaken(() =>
      audited(
        deps.database.accept,
        (tx) => restoreMemory(tx, target, actorOf(response)),
        (row) =>
          row === undefined
            ? null
            : {
                ...auditedBy(response),
                action: 'memory.restored',
                target: { kind: 'memory', id: row.id },
                userId: row.userId,
              },
      ),
    );
    if (row === undefined) throw noSuchMemory();
    await service.embedLater(target.tenantId, [row.id]);
    response.json(toMemory(row));
  });

  return router;
}
