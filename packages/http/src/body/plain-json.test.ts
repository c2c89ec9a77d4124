import { describe, expect, test } from '@jest/globals';
import { MAX_JSON_DEPTH } from '@factmill/contracts';
import { isAppError } from '@factmill/errors';
import fc from 'fast-check';
import { assertPlainJson } from './plain-json.ts';

function refusal(json: string): { code: string; field: string | undefined } | null {
  try {
    assertPlainJson(JSON.parse(json));
    return null;
  } catch (error) {
    if (!isAppError(error)) throw error;
    return { code: error.code, field: error.fields[0]?.field };
  }
}

const nested = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`;

describe('keys that reach a prototype', () => {
  test.each([
    ['{"__proto__": 1}', '__proto__'],
    ['{"a": {"b": [{"__proto__": {}}]}}', 'a.b.0.__proto__'],
    ['{"constructor": {"prototype": {}}}', 'constructor'],
    ['[[{"prototype": null}]]', '0.0.prototype'],
    ['{"\\u005f_proto__": 1}', '__proto__'],
  ])('%s is refused at %s', (json, field) => {
    expect(refusal(json)).toEqual({ code: 'forbidden_key', field });
  });

  test('the same words are allowed as values', () => {
    expect(refusal('{"a": "__proto__", "proto": ["constructor"]}')).toBeNull();
  });
});

describe('depth', () => {
  test(`${MAX_JSON_DEPTH} levels pass, one more does not`, () => {
    expect(refusal(nested(MAX_JSON_DEPTH))).toBeNull();
    expect(refusal(nested(MAX_JSON_DEPTH + 1))).toMatchObject({ code: 'invalid_request' });
    expect(refusal('{"a":'.repeat(MAX_JSON_DEPTH + 1) + '1' + '}'.repeat(MAX_JSON_DEPTH + 1))).toMatchObject({
      code: 'invalid_request',
    });
  });

  test('half a million levels are refused, not a stack overflow', () => {
    expect(refusal(nested(500_000))).toMatchObject({ code: 'invalid_request' });
  });
});

test('any JSON passes exactly when no key is forbidden and it is not too deep', () => {
  const key = fc.oneof(
    { weight: 8, arbitrary: fc.string() },
    { weight: 1, arbitrary: fc.constantFrom('__proto__', 'constructor', 'prototype') },
  );
  const { value } = fc.letrec<{ value: unknown }>((tie) => ({
    value: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      fc.constantFrom(null, 1, 'text', true),
      fc.array(tie('value'), { maxLength: 4 }),
      fc.array(fc.tuple(key, tie('value')), { maxLength: 4 }).map((entries) => {
        const object = Object.create(null) as Record<string, unknown>;
        for (const [name, child] of entries) {
          Object.defineProperty(object, name, { value: child, enumerable: true, configurable: true });
        }
        return object;
      }),
    ),
  }));
  const isPlain = (value: unknown, depth = 1): boolean =>
    typeof value !== 'object' ||
    value === null ||
    (depth <= MAX_JSON_DEPTH &&
      Object.entries(value).every(
        ([name, child]) =>
          !['__proto__', 'constructor', 'prototype'].includes(name) && isPlain(child, depth + 1),
      ));
  fc.assert(
    fc.property(value, (body) => {
      expect(refusal(JSON.stringify(body)) === null).toBe(isPlain(body));
    }),
  );
});
