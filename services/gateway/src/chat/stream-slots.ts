import { principalOf } from '@factmill/auth';
import { AppError } from '@factmill/errors';
import type { RequestHandler } from 'express';

export type StreamSlotsOptions = Readonly<{
  /** Open exchanges with the upstream per API key; without keys, for all callers together. */
  maxPerKey: number;
  /** Open exchanges of this process. */
  maxInAll: number;
}>;

/**
 * Bounds the open exchanges with the upstream: each holds two connections while the model answers. Must come after
 * authentication.
 *
 * @throws AppError `rate_limited` for a key with too many, `overloaded` when there are too many in total
 */
export function createStreamSlots({ maxPerKey, maxInAll }: StreamSlotsOptions): RequestHandler {
  const open = new Map<string, number>();
  let inAll = 0;
  return (_request, response, next) => {
    const { tenantId, keyId } = principalOf(response);
    const caller = `${tenantId} ${keyId ?? ''}`;
    const own = open.get(caller) ?? 0;
    if (own >= maxPerKey) {
      throw new AppError(
        'rate_limited',
        'This API key has too many chats open at once; send it again when some are over.',
        { retryAfterSeconds: 5 },
      );
    }
    if (inAll >= maxInAll) {
      throw new AppError('overloaded', 'Too many chats are open at once; send it again.', {
        retryAfterSeconds: 5,
      });
    }
    open.set(caller, own + 1);
    inAll += 1;
    response.once('close', () => {
      inAll -= 1;
      const left = (open.get(caller) ?? 1) - 1;
      if (left === 0) open.delete(caller);
      else open.set(caller, left);
    });
    next();
  };
}
