import { createHash } from 'node:crypto';

const PLAIN = /^[a-z0-9_@+=,.-]$/;
/** Names that Windows keeps for devices, whatever follows after a dot. */
const RESERVED = /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i;
/** Longer names end in a hash. File systems allow 255 bytes. */
const MAX_LENGTH = 120;
const KEPT_LENGTH = 80;

/**
 * The folder name of a user or conversation: lower-case Latin letters, digits and some marks stay, everything else is
 * percent-encoded. So no two ids share a folder on a file system that folds cases or normalises letters, and no id
 * is a path or a device.
 */
export function encodeName(id: string): string {
  const last = [...id].length - 1;
  const encoded = [...id]
    .map((char, index) => {
      const isEdgeDot = char === '.' && (index === 0 || index === last);
      const isDevice = index === 0 && RESERVED.test(id);
      return PLAIN.test(char) && !isEdgeDot && !isDevice ? char : percentEncoded(char);
    })
    .join('');
  if (encoded.length <= MAX_LENGTH) return encoded;
  const hash = createHash('sha256').update(id).digest('hex').slice(0, 32);
  return `${encoded.slice(0, KEPT_LENGTH).replace(/%.?$/, '')}~${hash}`;
}

/** The id that has this folder name; null for a name that no id has, and for one that ends in a hash. */
export function decodeName(name: string): string | null {
  try {
    const id = decodeURIComponent(name);
    return id !== '' && encodeName(id) === name ? id : null;
  } catch {
    return null;
  }
}

function percentEncoded(char: string): string {
  return [...Buffer.from(char, 'utf8')]
    .map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`)
    .join('');
}

const MAX_SEGMENT_BYTES = 255;
const MAX_PATH_BYTES = 1_000;
// oxlint-disable-next-line no-control-regex -- control characters are exactly what a path must not contain
const FORBIDDEN = /[\u0000-\u001f<>:"|?*\\]/u;

/**
 * Why a path in the vault, with `/` and from its folder, is refused; null when every system reads it alike and it
 * cannot leave the vault.
 */
export function pathProblem(path: string): string | null {
  if (Buffer.byteLength(path) > MAX_PATH_BYTES) return `the path is longer than ${MAX_PATH_BYTES} bytes`;
  for (const segment of path.split('/')) {
    if (segment === '' || segment === '.' || segment === '..') return 'the path leaves the vault';
    if (FORBIDDEN.test(segment)) return 'the name has a character that not every system allows';
    if (/[. ]$/.test(segment)) return 'the name ends in a dot or space';
    if (RESERVED.test(segment)) return 'the name is reserved for a device on some systems';
    if (Buffer.byteLength(segment) > MAX_SEGMENT_BYTES) return 'the name is too long';
  }
  return null;
}

/** What two paths share that are one file on a system that folds cases or normalises letters. */
export function foldedPath(path: string): string {
  return path.normalize('NFC').toLowerCase();
}
