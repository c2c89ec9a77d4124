import { describe, expect, test } from '@jest/globals';
import { judgeReply } from './judge-reply.ts';

const verdict = (raw: string, finishReason: string | null = 'stop') =>
  judgeReply({ raw, finishReason }, { reply: 'json' });
const verdictOnLine = (raw: string, finishReason: string | null = 'stop') =>
  judgeReply({ raw, finishReason }, { reply: 'line' });

describe('judgeReply', () => {
  test.each([
    ['facts', '{"facts":{"home":"Lisbon"},"context":[]}'],
    ['nothing to remember', '{"facts":{},"context":[]}'],
    ['NONE', 'NONE'],
    ['fenced', '```json\n{"facts":{"home":"Lisbon"}}\n```'],
  ])('%s is usable', (_name, raw) => {
    expect(verdict(raw)).toBe('usable');
  });

  test('a reply that was cut is usable for the items that are whole', () => {
    expect(verdict('{"facts":{"home":"Lisbon","job":"nur', 'length')).toBe('usable');
  });

  test('a reply that was cut before anything was whole is cut off: asking again would end there too', () => {
    expect(verdict('{"facts":{"home":"Lis', 'length')).toBe('truncated');
  });

  test('a line is usable where the preset asks for one, unless it was cut', () => {
    expect(verdictOnLine('The user lives in Lisbon.')).toBe('usable');
    expect(verdictOnLine('NOTHING')).toBe('usable');
    expect(verdictOnLine('The user lives in', 'length')).toBe('truncated');
    expect(verdictOnLine('The user lives here.\nAnd there.')).toBe('unreadable');
    expect(verdict('The user lives in Lisbon.')).toBe('unreadable');
  });

  test.each([
    ['prose', 'I could not find anything of interest, sorry.'],
    ['an empty text', ''],
    ['JSON that breaks off though the model had room', 'Here you are: {"facts": {'],
    ['a number', '42'],
  ])('%s is unreadable', (_name, raw) => {
    expect(verdict(raw)).toBe('unreadable');
  });
});
