import { principalOf } from '@factmill/auth';
import type { Actor } from '@factmill/database';
import type { Response } from 'express';

/** The actor of a manual change, for the memory's history. */
export function actorOf(response: Response): Actor {
  const { keyId } = principalOf(response);
  return { actor: keyId === null ? 'api' : `api-key:${keyId}`, extractionId: null };
}
