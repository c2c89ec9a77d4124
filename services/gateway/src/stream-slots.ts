import { principalOf } from '@factmill/auth';
import { AppError } from '@factmill/errors';
import type { RequestHandler } from 'express';

export type StreamSlotsOptions = Readonly<{
  /** What is open, for messages. */
  of: 'chats' | 'event streams';
  /** Open at once per API key; without keys, for all callers together. */
  maxPerKey: number;
  /** Open at once in this process. */
  maxInAll: number;
}>;

/**
 * Bounds what stays open: a chat holds two connections while the model answers, a stream of events one for good. Must
 * come after authentication.
 *
 * @throws AppError `rate_limited` for a key with too many, `overloaded` when there are too many in total
 */
export function createStreamSlots({ of, maxPerKey, maxInAll }: StreamSlotsOptions): RequestHandler {
  const open = new Map<string, number>();
  let inAll = 0;
  return (_request, response, next) => {
    const { tenantId, keyId } = principalOf(response);
    const caller = `${tenantId} ${keyId ?? ''}`;
    const own = open.get(caller) ?? 0;
    if (own >= maxPerKey) {
      throw new AppError(
        'rate_limited',
        `This API key has too many ${of} open at once; send it again when some are over.`,
        { retryAfterSeconds: 5 },
      );
    }
    if (inAll >= maxInAll) {
      throw new AppError('overloaded', `Too many ${of} are open at once; send it again.`, {
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
