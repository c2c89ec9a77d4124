import { describe, expect, test } from '@jest/globals';
import { readChatRequest, withSystemMessage, withUserText } from './chat-request.ts';

test('reads what memory needs and forwards the rest as it is written', () => {
  const chat = readChatRequest(
    '{"model":"m", "temperature":1.0, "memory_id":"diary","user":"ana","stream":true,"messages":[{"role":"user","content":"x"}]}',
  );
  expect(chat).toMatchObject({ model: 'm', userId: 'ana', isStream: true, memory: { memory_id: 'diary' } });
  expect(chat.forward).toContain('"temperature":1.0');
  expect(chat.forward).not.toContain('memory_id');
});

test('what is not a request is refused', () => {
  expect(() => readChatRequest('{')).toThrow('not valid JSON');
  expect(() => readChatRequest('[]')).toThrow('JSON object');
  expect(() => readChatRequest('{"memory_top_k":"many"}')).toThrow(/memory_top_k/);
});

describe('putting memory in', () => {
  const body =
    '{"n":1.0,"messages":[ {"role":"system","content":"s"}, {"role":"user","content":"q"} ,{"role":"tool","content":"t"}]}';

  test('in place of the last user message', () => {
    expect(withUserText(body, 'M "q"')).toBe(body.replace('"q"', String.raw`"M \"q\""`));
  });

  test('beside the parts that are not text', () => {
    const image = '{"type":"image_url","image_url":{"url":"data:x"} }';
    const parts = `{"messages":[{"role":"user","content":[{"type":"text","text":"q"}, ${image}]}]}`;
    expect(withUserText(parts, 'M')).toBe(
      `{"messages":[{"role":"user","content":[{"type":"text","text":"M"},${image}]}]}`,
    );
  });

  test('as a system message after those that begin it', () => {
    expect(withSystemMessage(body, 'M')).toBe(
      body.replace(' {"role":"user"', ' {"role":"system","content":"M"},{"role":"user"'),
    );
    expect(withSystemMessage('{"messages":[{"role":"system","content":"s"}]}', 'M')).toBe(
      '{"messages":[{"role":"system","content":"s"},{"role":"system","content":"M"}]}',
    );
    expect(withSystemMessage('{"messages":[]}', 'M')).toBe('{"messages":[{"role":"system","content":"M"}]}');
  });

  test('nowhere when there is no place', () => {
    for (const text of ['{}', '{"messages":"x"}', '{"messages":[{"role":"system","content":"s"}]}']) {
      expect(withUserText(text, 'M')).toBe(text);
    }
    expect(withSystemMessage('{}', 'M')).toBe('{}');
  });
});
