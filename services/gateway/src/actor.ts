import { principalOf } from '@factmill/auth';
import type { Actor } from '@factmill/database';
import type { Response } from 'express';

/** Who changes something by hand, for its history. */
export function actorOf(response: Response): Actor {
  const { keyId } = principalOf(response);
  return { actor: keyId === null ? 'api' : `api-key:${keyId}`, extractionId: null };
}
