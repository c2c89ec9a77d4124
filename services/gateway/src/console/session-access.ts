import { readSessionCookie, type SessionAccess, type Sessions } from '@factmill/auth';
import { OPERATIONS } from '@factmill/contracts';
import { AppError } from '@factmill/errors';
import { isFromOwnPage } from '@factmill/http';
import type { Request } from 'express';

/** Signing out is always possible. */
const SESSION = /^\/console\/session\/?$/i;
/** Searches and contexts ask by POST and change nothing. */
const READS_BY_POST: ReadonlySet<string> = new Set(
  OPERATIONS.filter(({ method, permission }) => method === 'post' && permission === 'memory.read').map(
    ({ path }) => path,
  ),
);

/** The memory tool is for models: the console does not use it. */
const FOR_KEYS_ONLY = /^\/v1\/tools(?:\/|$)/i;

/**
 * Where a browser's session stands for its key: in the REST API. What changes something has to come from a page of
 * ours, whatever ALLOWED_ORIGINS says, and is refused while the console is read-only. Pages of ours that need no key are
 * held to the same.
 *
 * @throws AppError `origin_not_allowed`, `console_read_only`
 */
export function createSessionAccess({
  check,
  isEnabled,
  isWritable,
}: Pick<Sessions, 'check'> & Readonly<{ isEnabled: boolean; isWritable: boolean }>): SessionAccess {
  return {
    check,
    tokenOf(request) {
      const path = request.baseUrl + request.path;
      if (!isEnabled || FOR_KEYS_ONLY.test(path)) return null;
      const token = readSessionCookie(request);
      if (isRead(request, path)) return token;
      const isOwn = isFromOwnPage(request);
      if (token !== null && !isOwn) {
        throw new AppError(
          'origin_not_allowed',
          'With a session, only the console itself may change things.',
        );
      }
      if (!isWritable && isOwn && !SESSION.test(path)) {
        throw new AppError(
          'console_read_only',
          'The console may change nothing here (CONSOLE_WRITABLE=false). Use an API key.',
        );
      }
      return token;
    },
  };
}

function isRead({ method }: Request, path: string): boolean {
  if (method === 'GET' || method === 'HEAD') return true;
  return method === 'POST' && READS_BY_POST.has(path.toLowerCase().replace(/\/$/, ''));
}
