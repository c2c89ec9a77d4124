import { MAX_JSON_DEPTH } from '@factmill/contracts';
import { AppError } from '@factmill/errors';

const FORBIDDEN_KEYS = new Set(['__proto__', 'constructor', 'prototype']);

/** A container that is still to be looked at, and the way to it. */
type Place = Readonly<{ value: object; key: string; parent: Place | null; depth: number }>;

/**
 * Refuses bodies that nest too deeply or carry keys that could reach an object's prototype. Iterative, so a
 * hostile body cannot overflow the stack; paths are written only for what is refused.
 *
 * @throws AppError `forbidden_key` or `invalid_request`, naming the path.
 */
export function assertPlainJson(body: unknown): void {
  if (typeof body !== 'object' || body === null) return;
  const open: Place[] = [{ value: body, key: '', parent: null, depth: 1 }];
  for (let place = open.pop(); place !== undefined; place = open.pop()) {
    if (place.depth > MAX_JSON_DEPTH) throw tooDeep(place);
    if (Array.isArray(place.value)) {
      const items = place.value as readonly unknown[];
      for (let index = 0; index < items.length; index += 1) {
        const item = items[index];
        if (typeof item === 'object' && item !== null) open.push(inside(place, String(index), item));
      }
      continue;
    }
    const members = place.value as Readonly<Record<string, unknown>>;
    for (const key of Object.keys(members)) {
      if (FORBIDDEN_KEYS.has(key)) throw forbidden(place, key);
      const child = members[key];
      if (typeof child === 'object' && child !== null) open.push(inside(place, key, child));
    }
  }
}

function inside(parent: Place, key: string, value: object): Place {
  return { value, key, parent, depth: parent.depth + 1 };
}

function pathTo(place: Place): string {
  const keys: string[] = [];
  for (let at = place; at.parent !== null; at = at.parent) keys.unshift(at.key);
  return keys.join('.');
}

function tooDeep(place: Place): AppError {
  return new AppError('invalid_request', `The body nests deeper than ${MAX_JSON_DEPTH} levels.`, {
    fields: [
      { field: pathTo(place).slice(0, 256), message: `must not nest deeper than ${MAX_JSON_DEPTH} levels` },
    ],
  });
}

function forbidden(place: Place, key: string): AppError {
  const path = pathTo(place);
  return new AppError('forbidden_key', `The key ${key} is not allowed anywhere in a body.`, {
    fields: [
      { field: (path === '' ? key : `${path}.${key}`).slice(0, 256), message: 'must not be used as a key' },
    ],
  });
}
