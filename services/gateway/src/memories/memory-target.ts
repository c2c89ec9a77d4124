import { ownerOf, principalOf } from '@factmill/auth';
import { userQuerySchema, uuidParamsSchema } from '@factmill/contracts';
import { AppError } from '@factmill/errors';
import { validate } from '@factmill/http';
import type { Request, Response } from 'express';

type MemoryTarget = Readonly<{ tenantId: string; userId: string | null; id: string }>;

/** The memory in the path. When the request or its key names a user, it must be that user's. */
export function targetOf(
  request: Request,
  response: Response,
  userId: string | null | undefined = validate(userQuerySchema, request.query).user_id,
): MemoryTarget {
  const principal = principalOf(response);
  return {
    tenantId: principal.tenantId,
    userId: ownerOf(userId ?? undefined, principal),
    id: validate(uuidParamsSchema, request.params).id,
  };
}

/** What a path that names no memory gets. */
export function noSuchMemory(): AppError {
  return new AppError('not_found', 'There is no memory with this id.');
}
