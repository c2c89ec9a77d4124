import { expect, test } from '@jest/globals';
import { setFlagsFromString } from 'node:v8';
import { restoreFastStrings } from './restore-fast-strings.ts';

setFlagsFromString('--allow-natives-syntax');
/** Whether V8 keeps the methods of strings in a form that compiled code can use. */
// oxlint-disable-next-line typescript/no-implied-eval -- only code that is parsed after the flag can ask V8
const isFast = new Function('return %HasFastProperties(String.prototype)') as () => boolean;

test('methods of strings are fast again, and stay so', () => {
  expect(isFast()).toBe(true);
  class Verbatim extends String {}
  expect(new Verbatim('x').length).toBe(1);
  expect(isFast()).toBe(false);
  restoreFastStrings();
  expect(isFast()).toBe(true);
  class Another extends String {}
  expect(new Another('x').length).toBe(1);
  expect(isFast()).toBe(true);
});
