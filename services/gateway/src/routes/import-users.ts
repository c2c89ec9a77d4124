import { principalOf, requirePermission } from '@factmill/auth';
import { type ImportedRows, userIdSchema } from '@factmill/contracts';
import { appendAudit, importRows } from '@factmill/database';
import { AppError } from '@factmill/errors';
import { readExport } from '@factmill/exchange';
import { type ByteBudget, localsOf, readRaw, validate } from '@factmill/http';
import { auditedBy } from '@factmill/runtime';
import type { Express, RequestHandler } from 'express';
import { z } from 'zod';
import type { RouteDeps } from '../route-deps.ts';

const userParamsSchema = z.object({ id: userIdSchema });
/** What fits into one request. Larger files are imported by a command on the database. */
const MAX_IMPORT_BYTES = 32 * 1024 * 1024;
const TYPES = ['application/x-ndjson', 'application/jsonl'];

/**
 * Adds `POST /v1/users/{id}/import` and `POST /v1/import`, for administrators of a tenant. They read the body
 * themselves, because it is not one JSON value.
 */
export function addImportRoutes(
  app: Express,
  {
    deps,
    budget,
    admit,
  }: Readonly<{ deps: RouteDeps; budget: ByteBudget; admit: readonly RequestHandler[] }>,
): void {
  const admin = requirePermission('admin');

  const importing =
    (ofUser: boolean): RequestHandler =>
    async (request, response) => {
      const userId = ofUser ? validate(userParamsSchema, request.params).id : null;
      assertType(request.headers['content-type']);
      const bytes = await readRaw(request, response, {
        budget,
        maxBytes: MAX_IMPORT_BYTES,
        timeoutMs: deps.config.http.bodyTimeoutMs,
      });
      const text = decode(bytes);
      const { tenantId } = principalOf(response);
      const counts = await deps.database.batch.transaction(async (tx) => {
        const lines = readExport(text.split('\n'), (header) => assertSame(header.userId, userId));
        const wantsEmbedding = deps.config.embedding.provider !== 'none';
        const done = await importRows(tx, lines, { tenantId, userId, wantsEmbedding });
        await appendAudit(tx, {
          ...auditedBy(response),
          ...(userId === null
            ? { action: 'tenant.imported' as const }
            : { action: 'user.imported' as const, target: { kind: 'user' as const, id: userId }, userId }),
          counts: done.imported,
        });
        return done;
      });
      localsOf(response).eventFields['imported'] = Object.values(counts.imported).reduce((a, b) => a + b, 0);
      response.json({ ...counts } satisfies ImportedRows);
    };

  app.post('/v1/users/:id/import', ...admit, admin, importing(true));
  app.post('/v1/import', ...admit, admin, importing(false));
}

/** Pages of another origin may send other types without asking. */
function assertType(type: string | undefined): void {
  if (TYPES.includes(type?.split(';', 1)[0]?.trim().toLowerCase() ?? '')) return;
  throw new AppError(
    'invalid_request',
    'The body has to be an export of Factmill: set Content-Type: application/x-ndjson.',
  );
}

function assertSame(ofFile: string | null, ofPath: string | null): void {
  if (ofFile === ofPath) return;
  throw new AppError(
    'invalid_request',
    ofFile === null
      ? 'The file is of a whole tenant: send it to /v1/import.'
      : 'The file is of another user than the address says. Nothing was imported.',
  );
}

function decode(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new AppError('invalid_request', 'The body is not UTF-8.');
  }
}
