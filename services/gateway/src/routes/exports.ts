import { principalOf, requirePermission } from '@factmill/auth';
import { exportUserQuerySchema, userIdSchema } from '@factmill/contracts';
import {
  appendAudit,
  type Database,
  exportRows,
  findVersionedMemories,
  hasAnything,
  listVersionMarks,
  type Sql,
} from '@factmill/database';
import { AppError } from '@factmill/errors';
import { writeExport } from '@factmill/exchange';
import { validate } from '@factmill/http';
import { auditedBy } from '@factmill/runtime';
import { toVaultFile } from '@factmill/vault/file';
import { type Response, Router } from 'express';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { z } from 'zod';
import type { RouteDeps } from '../route-deps.ts';

const userParamsSchema = z.object({ id: userIdSchema });
/** A reader that takes nothing for so long is given up: an export holds a connection to the database. */
const UNREAD_MS = 60_000;
const MEMORIES_AT_ONCE = 100;

/** `/v1/users/{id}/export` and `/v1/export`, for administrators of a tenant. */
export function exportRoutes(deps: RouteDeps): Router {
  const router = Router();
  const admin = requirePermission('admin');

  router.get('/users/:id/export', admin, async (request, response) => {
    const { id: userId } = validate(userParamsSchema, request.params);
    const { format } = validate(exportUserQuerySchema, request.query);
    const owner = { tenantId: principalOf(response).tenantId, userId };
    if (!(await hasAnything(deps.database.list, owner))) {
      throw new AppError('not_found', 'There is nothing of a user with this id.');
    }
    await appendAudit(deps.database.accept, {
      ...auditedBy(response),
      action: 'user.exported',
      target: { kind: 'user', id: userId },
      userId,
    });
    const name = format === 'jsonl' ? 'user.jsonl' : 'user.md';
    await send(deps.database.batch, response, { format, name }, (tx) =>
      format === 'jsonl'
        ? writeExport({ userId }, exportRows(tx, owner), deps.now())
        : vaultFiles(tx, owner.tenantId, userId),
    );
  });

  router.get('/export', admin, async (_request, response) => {
    const { tenantId } = principalOf(response);
    await appendAudit(deps.database.accept, { ...auditedBy(response), action: 'tenant.exported' });
    await send(deps.database.batch, response, { format: 'jsonl', name: 'tenant.jsonl' }, (tx) =>
      writeExport({ userId: null }, exportRows(tx, { tenantId, userId: null }), deps.now()),
    );
  });

  return router;
}

const TYPES = { jsonl: 'application/x-ndjson', markdown: 'text/markdown' } as const;

/** Streams what `read` yields from one snapshot. An answer that ends early has no last line. */
async function send(
  database: Database,
  response: Response,
  { format, name }: Readonly<{ format: keyof typeof TYPES; name: string }>,
  read: (tx: Sql) => AsyncIterable<string>,
): Promise<void> {
  response.setTimeout(UNREAD_MS, () => response.destroy());
  await database.transaction(
    async (tx) => {
      response.status(200).set({
        'Content-Type': `${TYPES[format]}; charset=utf-8`,
        'Content-Disposition': `attachment; filename="${name}"`,
      });
      await pipeline(Readable.from(read(tx), { objectMode: false }), response);
    },
    { isolation: 'repeatable read' },
  );
}

/** The current memories of a user, each as its file in a vault, after a comment with the file's path. */
async function* vaultFiles(tx: Sql, tenantId: string, userId: string): AsyncGenerator<string> {
  let after: Parameters<typeof listVersionMarks>[1]['after'] = {
    id: 'ffffffff-ffff-ffff-ffff-ffffffffffff',
    userId,
    createdAt: 'infinity',
    version: 0,
  };
  for (;;) {
    const marks = await listVersionMarks(tx, { tenantId, after, limit: MEMORIES_AT_ONCE });
    const ids = marks.filter((mark) => mark.userId === userId).map(({ id }) => id);
    const rows = await findVersionedMemories(tx, { tenantId, ids });
    const byId = new Map(rows.map((row) => [row.id, row]));
    for (const id of ids) {
      const row = byId.get(id);
      if (row === undefined) continue;
      const { path, text } = toVaultFile(row);
      yield `<!-- ${path} -->\n${text}\n`;
    }
    after = marks.at(-1);
    if (ids.length < MEMORIES_AT_ONCE || after === undefined) return;
  }
}
