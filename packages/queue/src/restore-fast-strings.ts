/** V8 optimises a function only after it has run this often. */
const OFTEN_ENOUGH = 1_000;

/**
 * Makes string methods as fast as in a fresh process. A class that extends `String` (ioredis has one) makes V8 turn
 * `String.prototype` into a dictionary; loops over `charCodeAt` then take five times as long everywhere. Looking up
 * a property through a String object turns it back. One call after such classes are loaded is enough.
 */
export function restoreFastStrings(): number {
  let length = 0;
  for (let turn = 0; turn < OFTEN_ENOUGH; turn += 1) length += Object('x').trim().length as number;
  return length;
}
