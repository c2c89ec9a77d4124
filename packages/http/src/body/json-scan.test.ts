import { describe, expect, test } from '@jest/globals';
import { isAppError } from '@factmill/errors';
import fc from 'fast-check';
import { createJsonScan, type JsonNode, type JsonScanOptions } from './json-scan.ts';

/** What the scan says of a text that arrives in pieces of some size. */
function scan(text: string | Buffer, options: Partial<JsonScanOptions> = {}, pieceLength = 7): JsonNode {
  const bytes = Buffer.from(text);
  const reader = createJsonScan({ maxValues: 1_000, ...options });
  for (let at = 0; at < bytes.length; at += pieceLength) reader.push(bytes.subarray(at, at + pieceLength));
  return reader.end();
}

function codeOf(text: string | Buffer, options: Partial<JsonScanOptions> = {}, pieceLength = 7): string {
  try {
    scan(text, options, pieceLength);
    return 'ok';
  } catch (error) {
    return isAppError(error) ? error.code : String(error);
  }
}

/** A node as the value it stands for, as deep as it is recorded. */
function valueOf(bytes: Buffer, node: JsonNode): unknown {
  const { start, end, children } = node;
  if (children === null) return JSON.parse(bytes.toString('utf8', start, end));
  if (bytes[start] === 0x5b) return children.map((child) => valueOf(bytes, child));
  return Object.fromEntries(
    children.map((child) => [
      JSON.parse(bytes.toString('utf8', child.keyStart, child.keyEnd)),
      valueOf(bytes, child),
    ]),
  );
}

const jsonText = fc
  .tuple(fc.jsonValue({ maxDepth: 4 }), fc.constantFrom(undefined, 1, '\t'))
  .map(([value, space]) => JSON.stringify(value, null, space));

describe('grammar', () => {
  test('agrees with JSON.parse about any text of JSON characters, in pieces of any size', () => {
    const unit = fc.constantFrom(...'{}[]:,"\\u0aeE1-+. \n', 'true', 'null', '"a"', '\u0001', 'é');
    const text = fc.oneof(fc.string({ unit, maxLength: 12 }), jsonText);
    fc.assert(
      fc.property(text, fc.integer({ min: 1, max: 9 }), (candidate, pieceLength) => {
        let isJson = true;
        try {
          JSON.parse(candidate);
        } catch {
          isJson = false;
        }
        expect(codeOf(candidate, {}, pieceLength)).toBe(isJson ? 'ok' : 'invalid_json');
      }),
      { numRuns: 3_000 },
    );
  });

  test('a byte order mark in front is none of the text', () => {
    expect(codeOf('\ufeff{"a":1}')).toBe('ok');
    expect(codeOf('{"a":\ufeff1}')).toBe('invalid_json');
  });
});

test('recorded values stand where JSON.parse finds them, repeated keys and white space included', () => {
  fc.assert(
    fc.property(jsonText, fc.integer({ min: 1, max: 5 }), (text, recordedDepth) => {
      const bytes = Buffer.from(text);
      expect(valueOf(bytes, scan(text, { recordedDepth: 99 }))).toEqual(JSON.parse(text));
      const { start, end } = scan(text, { recordedDepth });
      expect(JSON.parse(bytes.toString('utf8', start, end))).toEqual(JSON.parse(text));
    }),
  );
  const repeated = scan(' {"a" : 1.0, "a":[2] } ', { recordedDepth: 2 });
  expect(repeated.children?.map(({ start, end }) => [start, end])).toEqual([
    [8, 11],
    [17, 20],
  ]);
});

describe('limits', () => {
  test('values are counted, containers included', () => {
    expect(codeOf('[1,{"a":[]},"x"]', { maxValues: 5 })).toBe('ok');
    expect(codeOf('[1,{"a":[]},"x"]', { maxValues: 4 })).toBe('invalid_request');
  });

  test('nesting is refused before the text is complete', () => {
    const reader = createJsonScan({ maxValues: 1_000_000, maxDepth: 100 });
    reader.push(Buffer.from('['.repeat(100)));
    expect(() => reader.push(Buffer.from('['))).toThrow(/deeper than 100/);
  });

  test('without a limit any nesting is measured, that of what is not recorded too', () => {
    const deep = scan(`{"a":${'['.repeat(5_000)}${']'.repeat(5_000)},"b":[1]}`, {
      maxValues: 10_000,
      recordedDepth: 2,
    });
    expect([deep.levels, ...(deep.children ?? []).map(({ levels }) => levels)]).toEqual([5_001, 5_000, 1]);
  });

  test('a number has an end', () => {
    expect(codeOf('9'.repeat(1_000))).toBe('ok');
    expect(codeOf('9'.repeat(1_001))).toBe('invalid_request');
  });
});
