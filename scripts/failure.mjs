/**
 * A failure whose message is the one sentence the user should read; anything else that is thrown is a bug
 * and keeps its stack.
 */
export class Failure extends Error {
  /** @param {string} sentence */
  constructor(sentence) {
    super(sentence);
    this.name = 'Failure';
  }
}

/**
 * Prints why a script cannot go on and ends the process with code 1.
 * @param {unknown} error
 * @returns {never}
 */
export function exitWithFailure(error) {
  process.stderr.write(`factmill: ${describeFailure(error)}\n`);
  process.exit(1);
}

/** Why a file or folder cannot be written, by the system's code. @type {Record<string, string>} */
const UNWRITABLE = {
  EROFS: 'is on a read-only file system; clone Factmill where it can be written to',
  EACCES:
    'may not be written to by this user; change its permissions, or clone Factmill into a folder of your own',
  EPERM:
    'may not be written to by this user; change its permissions, or clone Factmill into a folder of your own',
  ENOSPC: 'is on a disk that is full',
  EDQUOT: 'is on a disk that is full',
};

/**
 * What to print about an error: a sentence where it is known what to do, else where it happened.
 * @param {unknown} error
 */
export function describeFailure(error) {
  if (error instanceof Failure) return error.message;
  if (typeof error !== 'object' || error === null || !('stack' in error)) return String(error);
  const { code, path, stack } = /** @type {NodeJS.ErrnoException} */ (error);
  const why = UNWRITABLE[code ?? ''];
  return why === undefined || path === undefined ? String(stack) : `${path} ${why}.`;
}

/**
 * One short progress line on standard output.
 * @param {string} line
 */
export function printProgress(line) {
  process.stdout.write(`factmill: ${line}\n`);
}
