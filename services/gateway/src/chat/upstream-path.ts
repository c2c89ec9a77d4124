import { RESERVED_SEGMENTS } from '@factmill/contracts';
import { AppError } from '@factmill/errors';

/** Longest path that is forwarded, in characters; a query may be longer. */
const MAX_PATH = 2_048;
/** Characters of RFC 3986 paths, except `;`, which some servers treat as the end of a segment. */
const PATH = /^(?:\/(?:[\w.~!$&'()*+,=:@-]|%[0-9a-f]{2})+)+\/?$/i;
const QUERY = /^[\x21-\x7e]*$/;
const UNSEEN = /\p{C}/u;

/** A path below `/v1` for the upstream, with its segments decoded. */
export type UpstreamPath = Readonly<{ target: string; segments: readonly string[] }>;

/**
 * Whether a request is for Factmill itself: its first segment below `/v1`, in any spelling, is one of ours. Decodes
 * as often as any server behind us could.
 */
export function isOwnPath(requestTarget: string): boolean {
  let path = requestTarget.replace(/^[a-z][a-z\d+.-]*:\/\/[^/?#]*/i, '').split(/[?#]/, 1)[0] ?? '';
  for (let round = 0; round < 4; round += 1) path = decodeOnce(path);
  const [, first = ''] = path
    .normalize('NFKC')
    .toLowerCase()
    .split(/[/\\]+/)
    .map((segment) => segment.replace(/;.*/, '').replaceAll(/[\s\p{C}]/gu, ''))
    .filter((segment) => segment !== '' && segment !== '.' && segment !== '..');
  return RESERVED_SEGMENTS.has(first.replace(/(?<!\.)\.+$/, ''));
}

/**
 * The path of a request for the upstream: exactly `/v1/…`, without anything that another server could read as another
 * path: double or partial encoding, `.` and `..`, empty segments, `\\`, `;`, an encoded slash, control characters,
 * and anything that becomes one of these by Unicode normalisation.
 *
 * @throws AppError `not_found` for paths outside `/v1`; `invalid_request` for the rest
 */
export function readUpstreamPath(requestTarget: string): UpstreamPath {
  const queryAt = requestTarget.indexOf('?');
  const path = queryAt < 0 ? requestTarget : requestTarget.slice(0, queryAt);
  const query = queryAt < 0 ? '' : requestTarget.slice(queryAt);
  if (!/^\/v1\/./.test(path)) throw new AppError('not_found', 'There is nothing at this address.');
  if (path.length > MAX_PATH || !PATH.test(path) || !QUERY.test(query)) throw notPlain();
  const below = path.slice('/v1'.length);
  const decoded = decodeStrictly(below).normalize('NFKC');
  const segments = decoded.replace(/\/$/, '').split('/').slice(1);
  const sameSegments = decoded.split('/').length === below.split('/').length;
  if (!sameSegments || /[%\\;]/.test(decoded) || UNSEEN.test(decoded)) throw notPlain();
  if (segments.some((segment) => /^\.*$/.test(segment) || segment.trim() !== segment)) throw notPlain();
  return { target: `${below}${query}`, segments };
}

function decodeStrictly(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch (error) {
    throw notPlain(error);
  }
}

/** Invalid UTF-8 is decoded byte by byte. */
function decodeOnce(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return decodeBytes(path);
  }
}

function decodeBytes(path: string): string {
  return path.replaceAll(/%([0-9a-f]{2})/gi, (_match, code: string) =>
    String.fromCharCode(parseInt(code, 16)),
  );
}

function notPlain(cause?: unknown): AppError {
  return new AppError(
    'invalid_request',
    'This path cannot be passed on. Write it plainly: no . or .. segments, empty segments, backslashes, semicolons, encoded slashes or double encoding.',
    { cause },
  );
}
