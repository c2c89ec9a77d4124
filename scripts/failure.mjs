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
  const text =
    error instanceof Failure ? error.message : error instanceof Error ? error.stack : String(error);
  process.stderr.write(`factmill: ${text}\n`);
  process.exit(1);
}

/**
 * One short progress line on standard output.
 * @param {string} line
 */
export function printProgress(line) {
  process.stdout.write(`factmill: ${line}\n`);
}
