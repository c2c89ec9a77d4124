import {
  generateApiKey,
  generateSecret,
  isPermitted,
  type Principal,
  principalOf,
  requirePermission,
} from '@factmill/auth';
import {
  createApiKeySchema,
  listApiKeysQuerySchema,
  type Permission,
  rotateApiKeySchema,
  timestampSchema,
} from '@factmill/contracts';
import {
  audited,
  insertApiKey,
  keyCreated,
  keyRevoked,
  keyRotated,
  listApiKeys,
  revokeApiKey,
  rotateApiKey,
  toApiKey,
} from '@factmill/database';
import { AppError } from '@factmill/errors';
import { decodeCursor, encodeCursor, validate } from '@factmill/http';
import { auditedBy } from '@factmill/runtime';
import { Router } from 'express';
import { z } from 'zod';
import type { RouteDeps } from '../route-deps.ts';

const KEY_ID = /^[0-9a-f]{16}$/;
const positionSchema = z.tuple([timestampSchema, z.string().regex(KEY_ID)]);

/** `/v1/api-keys`, for administrators of a tenant. */
export function apiKeyRoutes(deps: RouteDeps): Router {
  const router = Router();
  router.use(requirePermission('admin'));

  router.post('/', async (request, response) => {
    const body = validate(createApiKeySchema, request.body);
    assertMayGrant(principalOf(response), body.permissions);
    const generated = generateApiKey();
    const key = {
      id: generated.id,
      tenantId: principalOf(response).tenantId,
      secretSha256: generated.secretSha256,
      name: body.name,
      permissions: body.permissions,
      userId: body.user_id ?? null,
      userLocked: body.user_locked,
      preset: body.preset ?? null,
      expiresAt: body.expires_at === undefined ? null : new Date(body.expires_at),
    };
    const row = await audited(
      deps.database.accept,
      (tx) => insertApiKey(tx, key),
      (made) => (made === undefined ? null : { ...auditedBy(response), ...keyCreated(key) }),
    );
    if (row === undefined) {
      throw new AppError(
        'state_conflict',
        'There is an API key with this name; revoke it or choose another name.',
        {
          fields: [{ field: 'name', message: 'is taken' }],
        },
      );
    }
    response.status(201).json({ ...toApiKey(row), key: generated.key });
  });

  router.get('/', async (request, response) => {
    const query = validate(listApiKeysQuerySchema, request.query);
    const position = decodeCursor(query.cursor, positionSchema);
    const rows = await listApiKeys(deps.database.list, principalOf(response).tenantId, {
      before: position === null ? null : { position: position[0], id: position[1] },
      limit: query.limit,
    });
    const last = rows.at(-1);
    response.json({
      data: rows.map((row) => toApiKey(row)),
      next_cursor: last?.more !== true ? null : encodeCursor([last.position, last.id]),
    });
  });

  router.post('/:id/rotate', async (request, response) => {
    const { id } = request.params;
    const body = validate(rotateApiKeySchema, request.body);
    const principal = principalOf(response);
    const { key, secretSha256 } = generateSecret(id);
    const rotation = {
      tenantId: principal.tenantId,
      id,
      secretSha256,
      overlapSeconds: body.overlap_seconds,
      expiresAt: body.expires_at == null ? body.expires_at : new Date(body.expires_at),
      byOperator: isPermitted(principal, 'operator'),
    };
    const rotate = () =>
      audited(
        deps.database.accept,
        (tx) => rotateApiKey(tx, rotation),
        (rotated) => (rotated === undefined ? null : { ...auditedBy(response), ...keyRotated(id) }),
      );
    const row = KEY_ID.test(id) ? await rotate() : undefined;
    if (row === undefined) throw notInForce();
    deps.authenticator.forget(id);
    response.json({ ...toApiKey(row), key });
  });

  router.delete('/:id', async (request, response) => {
    const { id } = request.params;
    const principal = principalOf(response);
    const byOperator = isPermitted(principal, 'operator');
    const revoke = () =>
      audited(
        deps.database.accept,
        (tx) => revokeApiKey(tx, principal.tenantId, id, byOperator),
        (isRevoked) => (isRevoked ? { ...auditedBy(response), ...keyRevoked(id) } : null),
      );
    if (!KEY_ID.test(id) || !(await revoke())) {
      throw notInForce();
    }
    deps.authenticator.forget(id);
    response.status(204).end();
  });

  return router;
}

function notInForce(): AppError {
  return new AppError('not_found', 'There is no API key with this id in force.');
}

/** A caller may only grant permissions that it has. */
function assertMayGrant(principal: Principal, permissions: readonly Permission[]): void {
  const missing = permissions.find((permission) => !isPermitted(principal, permission));
  if (missing === undefined) return;
  throw new AppError(
    'forbidden',
    `Only a key with the permission ${missing} can create another one with it.`,
    {
      fields: [{ field: 'permissions', message: `${missing} is more than this key has` }],
    },
  );
}
