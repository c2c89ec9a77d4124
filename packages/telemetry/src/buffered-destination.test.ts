import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createBufferedDestination } from './buffered-destination.ts';

let folder: string;
let path: string;
let fd: number;
beforeEach(() => {
  jest.useFakeTimers({ doNotFake: ['nextTick'] });
  folder = mkdtempSync(join(tmpdir(), 'factmill-lines-'));
  path = join(folder, 'lines');
  fd = openSync(path, 'w');
});
afterEach(() => {
  jest.useRealTimers();
  closeSync(fd);
  rmSync(folder, { recursive: true });
});

const written = () => readFileSync(path, 'utf8');

test('lines are written together, the first one 50 ms after it came', () => {
  const lines = createBufferedDestination(fd);
  lines.write('one\n');
  jest.advanceTimersByTime(40);
  lines.write('two\n');
  expect(written()).toBe('');
  jest.advanceTimersByTime(10);
  expect(written()).toBe('one\ntwo\n');
  lines.write('three\n');
  jest.advanceTimersByTime(50);
  expect(written()).toBe('one\ntwo\nthree\n');
});

test('many lines do not wait', () => {
  const lines = createBufferedDestination(fd);
  lines.write(`${'x'.repeat(5_000)}\n`);
  expect(written()).toHaveLength(5_001);
});

test('nothing runs while there are no lines', () => {
  const lines = createBufferedDestination(fd);
  expect(jest.getTimerCount()).toBe(0);
  lines.write('one\n');
  jest.advanceTimersByTime(50);
  expect(jest.getTimerCount()).toBe(0);
});
