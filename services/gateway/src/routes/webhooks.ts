import { principalOf, requirePermission } from '@factmill/auth';
import {
  type AuditAction,
  createWebhookSchema,
  type Delivery,
  type EventType,
  listDeliveriesQuerySchema,
  patchWebhookSchema,
  replayWebhookSchema,
  timestampSchema,
  uuidParamsSchema,
  uuidSchema,
  type Webhook,
} from '@factmill/contracts';
import {
  audited,
  deleteWebhook,
  type DeliveryRow,
  findWebhook,
  FIRST_EVENT,
  insertWebhook,
  listDeliveries,
  listWebhooks,
  MAX_WEBHOOKS,
  replayEvents,
  requestTestDelivery,
  rotateWebhookSecret,
  type Sql,
  updateWebhook,
  type WebhookRow,
} from '@factmill/database';
import { AppError } from '@factmill/errors';
import { decodeCursor, encodeCursor, isPublicAddress, validate } from '@factmill/http';
import { auditedBy } from '@factmill/runtime';
import { type Request, type Response, Router } from 'express';
import { randomBytes } from 'node:crypto';
import { isIP } from 'node:net';
import { z } from 'zod';
import type { RouteDeps } from '../route-deps.ts';

const positionSchema = z.tuple([timestampSchema, uuidSchema]);
/** How long the secret before signs beside a new one. */
const OVERLAP_HOURS = 24;

/** `/v1/webhooks`, for administrators of a tenant. Extractors deliver (H4). */
export function webhookRoutes(deps: RouteDeps): Router {
  const router = Router();
  router.use(requirePermission('admin'));

  const target = (request: Request, response: Response) => ({
    tenantId: principalOf(response).tenantId,
    id: validate(uuidParamsSchema, request.params).id,
  });

  /** Changes a webhook; what resolves to undefined or false has changed nothing. */
  const change = <T>(
    response: Response,
    { id, ...done }: Readonly<{ id: string; action: AuditAction; fields?: readonly string[] }>,
    work: (tx: Sql) => Promise<T>,
  ): Promise<T> =>
    audited(deps.database.accept, work, (changed) =>
      changed === undefined || changed === false
        ? null
        : { ...auditedBy(response), ...done, target: { kind: 'webhook', id } },
    );

  router.post('/', async (request, response) => {
    const body = validate(createWebhookSchema, request.body);
    assertAllowed(body.url, deps.config.webhooks.privateNetworks);
    const secret = newSecret();
    const webhook = {
      tenantId: principalOf(response).tenantId,
      id: deps.newId(),
      url: body.url,
      types: body.types ?? null,
      payload: body.payload,
      secret,
      enabled: body.enabled,
    };
    const row = await change(response, { id: webhook.id, action: 'webhook.created' }, (tx) =>
      insertWebhook(tx, webhook),
    );
    if (row === undefined) {
      throw new AppError('state_conflict', `This tenant has ${MAX_WEBHOOKS} webhooks; delete one first.`);
    }
    response.status(201).json({ ...toWebhook(row), secret });
  });

  router.get('/', async (_request, response) => {
    const rows = await listWebhooks(deps.database.list, principalOf(response).tenantId);
    response.json({ data: rows.map(toWebhook), next_cursor: null });
  });

  router.get('/:id', async (request, response) => {
    response.json(toWebhook(found(await findWebhook(deps.database.list, target(request, response)))));
  });

  router.patch('/:id', async (request, response) => {
    const changes = validate(patchWebhookSchema, request.body);
    if (changes.url !== undefined) assertAllowed(changes.url, deps.config.webhooks.privateNetworks);
    const of = target(request, response);
    const row = await change(
      response,
      { id: of.id, action: 'webhook.changed', fields: Object.keys(changes) },
      (tx) => updateWebhook(tx, of, changes),
    );
    response.json(toWebhook(found(row)));
  });

  router.delete('/:id', async (request, response) => {
    const of = target(request, response);
    const done = { id: of.id, action: 'webhook.deleted' } as const;
    if (!(await change(response, done, (tx) => deleteWebhook(tx, of)))) throw notFound();
    response.status(204).end();
  });

  router.post('/:id/rotate-secret', async (request, response) => {
    const secret = newSecret();
    const of = target(request, response);
    const done = { id: of.id, action: 'webhook.changed', fields: ['secret'] } as const;
    const row = await change(response, done, (tx) => rotateWebhookSecret(tx, of, secret, OVERLAP_HOURS));
    response.json({ ...toWebhook(found(row)), secret });
  });

  router.post('/:id/test', async (request, response) => {
    const of = target(request, response);
    found(await findWebhook(deps.database.accept, of));
    const id = deps.newId();
    if (!(await requestTestDelivery(deps.database.accept, of, id))) {
      throw new AppError('state_conflict', 'This webhook is disabled; enable it first.');
    }
    response.status(202).json({ delivery_id: id });
  });

  router.get('/:id/deliveries', async (request, response) => {
    const query = validate(listDeliveriesQuerySchema, request.query);
    const { tenantId, id } = target(request, response);
    found(await findWebhook(deps.database.list, { tenantId, id }));
    const before = decodeCursor(query.cursor, positionSchema);
    const rows = await listDeliveries(deps.database.list, {
      tenantId,
      webhookId: id,
      state: query.state ?? null,
      before: before === null ? null : { position: before[0], id: before[1] },
      limit: query.limit + 1,
    });
    const page = rows.slice(0, query.limit);
    const last = rows.length > query.limit ? page.at(-1) : undefined;
    response.json({
      data: page.map(toDelivery),
      next_cursor: last === undefined ? null : encodeCursor([last.position, last.id]),
    });
  });

  router.post('/:id/replay', async (request, response) => {
    const body = validate(replayWebhookSchema, request.body);
    const of = target(request, response);
    found(await findWebhook(deps.database.accept, of));
    const { count, last } = await replayEvents(deps.database.batch, of, {
      after: body.after ?? FIRST_EVENT,
      until: body.until ?? null,
      only: body.event_id ?? null,
    });
    if (body.event_id !== undefined && count === 0) {
      throw new AppError(
        'not_found',
        'This webhook has not had an event with this id, or it is not kept any more.',
      );
    }
    response.status(202).json({ replayed: count, next_after: last });
  });

  return router;
}

function newSecret(): string {
  return `whsec_${randomBytes(32).toString('base64')}`;
}

/**
 * Refuses what can be known to be refused later. Names are looked up when something is delivered.
 *
 * @throws AppError `invalid_request`
 */
function assertAllowed(url: string, privateNetworks: boolean): void {
  if (privateNetworks) return;
  const { protocol, hostname } = new URL(url);
  const host = hostname.replace(/^\[|\]$/g, '');
  const isPrivate = isIP(host) === 0 ? /(?:^|\.)localhost\.?$/.test(host) : !isPublicAddress(host);
  if (protocol === 'https:' && !isPrivate) return;
  const message = isPrivate ? 'must not lead into a private network' : 'must be an https address';
  throw new AppError('invalid_request', `url: ${message}.`, { fields: [{ field: 'url', message }] });
}

function found(row: WebhookRow | undefined): WebhookRow {
  if (row === undefined) throw notFound();
  return row;
}

function notFound(): AppError {
  return new AppError('not_found', 'There is no webhook with this id.');
}

function toWebhook(row: WebhookRow): Webhook {
  return {
    id: row.id,
    url: row.url,
    types: row.types as EventType[] | null,
    payload: row.payload,
    enabled: row.disabledAt === null,
    disabled_at: row.disabledAt?.toISOString() ?? null,
    disabled_reason: row.disabledReason,
    failures: row.failures,
    failing_since: row.failingSince?.toISOString() ?? null,
    next_attempt_at: row.failures === 0 || row.disabledAt !== null ? null : row.nextAttemptAt.toISOString(),
    previous_secret_until: row.previousSecretUntil?.toISOString() ?? null,
    created_at: row.createdAt.toISOString(),
    updated_at: row.updatedAt.toISOString(),
  };
}

function toDelivery(row: DeliveryRow): Delivery {
  return {
    id: row.id,
    event_id: row.eventId,
    type: row.type,
    state: row.state,
    attempts: row.attempts,
    status: row.status,
    error: row.error,
    duration_ms: row.durationMs,
    created_at: row.createdAt.toISOString(),
    attempted_at: row.attemptedAt?.toISOString() ?? null,
  };
}
