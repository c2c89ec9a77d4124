import { afterAll, expect, test } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { announceInstance, findInstance } from './local-instance.ts';

const folder = mkdtempSync(join(tmpdir(), 'factmill-instance-'));
const path = join(folder, 'instance.json');
afterAll(() => rmSync(folder, { recursive: true }));

test('an instance is found by its data folder while it runs', async () => {
  expect(findInstance(folder)).toBeNull();
  const announced = await announceInstance(folder, 'http://127.0.0.1:8080');
  expect(findInstance(folder)).toEqual({ pid: process.pid, url: 'http://127.0.0.1:8080' });
  expect(statSync(path).mode & 0o777).toBe(0o600);
  await announced.close();
  expect(findInstance(folder)).toBeNull();
});

test('one that has ended without a word is not', () => {
  const ended = execFileSync(process.execPath, ['-p', 'process.pid'], { encoding: 'utf8' });
  writeFileSync(path, JSON.stringify({ pid: Number(ended), url: 'http://127.0.0.1:8080' }));
  expect(findInstance(folder)).toBeNull();
});

test.each(['', 'no JSON', '[]', '{"pid":0,"url":"x"}', '{"pid":1}', 'null'])(
  'a file with %j says nothing',
  (text) => {
    writeFileSync(path, text);
    expect(findInstance(folder)).toBeNull();
  },
);
