import { MAX_JSON_DEPTH } from '@factmill/contracts';
import { AppError } from '@factmill/errors';

const FORBIDDEN_KEYS = new Set(['__proto__', 'constructor', 'prototype']);

/**
 * Refuses bodies that nest too deeply or carry keys that could reach an object's prototype. Iterative, so a
 * hostile body cannot overflow the stack.
 *
 * @throws AppError `forbidden_key` or `invalid_request`, naming the path.
 */
export function assertPlainJson(body: unknown): void {
  const open: { value: unknown; path: string; depth: number }[] = [{ value: body, path: '', depth: 1 }];
  for (let entry = open.pop(); entry !== undefined; entry = open.pop()) {
    const { value, path, depth } = entry;
    if (typeof value !== 'object' || value === null) continue;
    if (depth > MAX_JSON_DEPTH) {
      throw new AppError('invalid_request', `The body nests deeper than ${MAX_JSON_DEPTH} levels.`, {
        fields: [
          { field: path.slice(0, 256), message: `must not nest deeper than ${MAX_JSON_DEPTH} levels` },
        ],
      });
    }
    for (const [key, child] of Object.entries(value)) {
      if (FORBIDDEN_KEYS.has(key)) {
        const field = path === '' ? key : `${path}.${key}`;
        throw new AppError('forbidden_key', `The key ${key} is not allowed anywhere in a body.`, {
          fields: [{ field: field.slice(0, 256), message: 'must not be used as a key' }],
        });
      }
      if (typeof child === 'object' && child !== null) {
        open.push({ value: child, path: path === '' ? key : `${path}.${key}`, depth: depth + 1 });
      }
    }
  }
}
