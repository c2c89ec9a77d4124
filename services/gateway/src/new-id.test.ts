import { expect, test } from '@jest/globals';
import { newId } from './new-id.ts';

test('ids are UUIDv7 and all different, beyond one fill of the pool', () => {
  const ids = Array.from({ length: 2_000 }, newId);
  expect(new Set(ids).size).toBe(ids.length);
  expect(
    ids.filter((id) => !/^[\da-f]{8}-[\da-f]{4}-7[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/.test(id)),
  ).toEqual([]);
});

test('an id made in a later millisecond sorts later', () => {
  const first = newId();
  const start = Date.now();
  while (Date.now() === start) newId();
  expect(newId() > first).toBe(true);
});
