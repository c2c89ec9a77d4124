import type { ResolvedUser } from '@factmill/auth';
import { AppError } from '@factmill/errors';
import type { Request } from 'express';
import { createHash } from 'node:crypto';

const KEY = /^[\x21-\x7e]{1,255}$/;

export type Idempotency = Readonly<{ key: string | null; requestSha256: string }>;

type HashedRequest = Pick<Request, 'header' | 'method' | 'baseUrl' | 'path' | 'body'>;

/**
 * The `Idempotency-Key` of a request and a hash of its content: method, path, body (in any order of keys) and, when
 * the body names no user, the user. Two API keys of one tenant can belong to two users, and neither may get the
 * other's answer.
 *
 * @throws AppError `invalid_request` when the key is not 1 to 255 visible ASCII characters
 */
export function idempotencyOf(request: HashedRequest, user: ResolvedUser): Idempotency {
  const key = request.header('idempotency-key');
  if (key === undefined) return { key: null, requestSha256: '' };
  if (!KEY.test(key)) {
    throw new AppError('invalid_request', 'Idempotency-Key has to be 1 to 255 visible ASCII characters.', {
      fields: [{ field: 'Idempotency-Key', message: 'must be 1 to 255 visible ASCII characters' }],
    });
  }
  const target = [request.method, `${request.baseUrl}${request.path}`, user.requested ?? user.fallback];
  const hash = createHash('sha256').update(`${JSON.stringify(target)}\n`);
  return { key, requestSha256: hash.update(stableJson(request.body ?? {})).digest('hex') };
}

function stableJson(value: unknown): string {
  return JSON.stringify(value, (_key, child: unknown) =>
    typeof child === 'object' && child !== null && !Array.isArray(child)
      ? Object.fromEntries(Object.entries(child).sort(([left], [right]) => (left < right ? -1 : 1)))
      : child,
  );
}
