import { describe, expect, test } from '@jest/globals';
import {
  cString,
  encodeMessage,
  messageLength,
  parseFirstMessage,
  readCString,
  renameStatement,
} from './wire-messages.ts';

const own = (name: string) => `c7_${name}`;

describe('messages', () => {
  test('a message is whole only with its last byte', () => {
    const message = encodeMessage('Q', cString('select 1'));
    for (let length = 0; length < message.length; length += 1) {
      expect(messageLength(message.subarray(0, length))).toBeUndefined();
    }
    expect(messageLength(Buffer.concat([message, message]))).toBe(message.length);
  });

  test('the first message is told by its code', () => {
    const first = (code: number) => {
      const buffer = Buffer.alloc(8);
      buffer.writeInt32BE(8, 0);
      buffer.writeInt32BE(code, 4);
      return parseFirstMessage(buffer).kind;
    };
    expect([80_877_103, 80_877_104, 80_877_102, 196_608].map(first)).toEqual([
      'encryption',
      'encryption',
      'cancel',
      'startup',
    ]);
    expect(parseFirstMessage(Buffer.alloc(3)).kind).toBe('incomplete');
  });

  test('a nonsensical length still takes bytes, so that reading ends', () => {
    expect(messageLength(Buffer.from([0x51, 0xff, 0xff, 0xff, 0xff]))).toBe(5);
    expect(parseFirstMessage(Buffer.alloc(8))).toEqual({ kind: 'startup', length: 8 });
  });

  test('a string of several bytes per character survives', () => {
    expect(readCString(cString('Grüße 🙂'), 0).text).toBe('Grüße 🙂');
  });
});

describe('renameStatement', () => {
  const body = Buffer.from('rest');

  test('renames the statement of Parse, Bind, Describe and Close and keeps the rest', () => {
    const parse = encodeMessage('P', Buffer.concat([cString('s'), body]));
    expect(renameStatement(parse, own)).toEqual(encodeMessage('P', Buffer.concat([cString('c7_s'), body])));
    const bind = encodeMessage('B', Buffer.concat([cString('portal'), cString('s'), body]));
    expect(renameStatement(bind, own)).toEqual(
      encodeMessage('B', Buffer.concat([cString('portal'), cString('c7_s'), body])),
    );
    for (const type of ['D', 'C']) {
      const message = encodeMessage(type, Buffer.concat([Buffer.from('S'), cString('s')]));
      expect(renameStatement(message, own)).toEqual(
        encodeMessage(type, Buffer.concat([Buffer.from('S'), cString('c7_s')])),
      );
    }
  });

  test('leaves the unnamed statement, portals and other messages alone', () => {
    for (const message of [
      encodeMessage('P', Buffer.concat([cString(''), body])),
      encodeMessage('D', Buffer.concat([Buffer.from('P'), cString('s')])),
      encodeMessage('Q', cString('select 1')),
      encodeMessage('S', Buffer.alloc(0)),
    ]) {
      expect(renameStatement(message, own)).toEqual(message);
    }
  });
});
