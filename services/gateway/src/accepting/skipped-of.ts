import { MEMORY_OFF } from '@factmill/contracts';
import { UNKNOWN_USER_SKIPPED } from '../unknown-user.ts';
import type { SkippedRequest } from './accept.ts';

/** The fields of an answer that say why nothing was stored. */
export function skippedOf(request: SkippedRequest) {
  return request.status === 'memory_off'
    ? { user_id: request.user_id, skipped: MEMORY_OFF }
    : UNKNOWN_USER_SKIPPED;
}
