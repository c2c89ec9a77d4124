import { describe, expect, test } from '@jest/globals';
import { createJsonScan } from '@factmill/http';
import fc from 'fast-check';
import { CHAT_RECORDED_DEPTH, readChatRequest, withSystemMessage, withUserText } from './chat-request.ts';
import { lastUserText } from './chat-turns.ts';
import { applyEdits, type Edit } from './json-edits.ts';

function scan(text: string) {
  const bytes = Buffer.from(text);
  const reader = createJsonScan({ maxValues: 100_000, recordedDepth: CHAT_RECORDED_DEPTH });
  reader.push(bytes);
  return { bytes, root: reader.end() };
}

const read = (text: string) => {
  const { bytes, root } = scan(text);
  return readChatRequest(bytes, root);
};
const edited = (text: string, edits: readonly Edit[]) =>
  Buffer.concat(applyEdits(Buffer.from(text), edits)).toString();
const forwarded = async (text: string) => edited(text, (await read(text)).removed);
const saying = (text: string, memory: string) => {
  const { bytes, root } = scan(text);
  return edited(text, withUserText(bytes, root, memory));
};
const told = (text: string, memory: string) => {
  const { bytes, root } = scan(text);
  return edited(text, withSystemMessage(bytes, root, memory));
};

test('reads what memory needs and forwards the rest as it is written', async () => {
  const text =
    '{"model":"m", "temperature":1.0, "memory_id":"diary","user":"ana","stream":true,"messages":[{"role":"user","content":"x"}]}';
  expect(await read(text)).toMatchObject({
    model: 'm',
    userId: 'ana',
    isStream: true,
    memory: { memory_id: 'diary' },
    messages: [{ role: 'user', content: 'x' }],
  });
  expect(await forwarded(text)).toBe(
    '{"model":"m", "temperature":1.0, "user":"ana","stream":true,"messages":[{"role":"user","content":"x"}]}',
  );
});

test('what is not a request is refused', async () => {
  await expect(read('[]')).rejects.toThrow('JSON object');
  await expect(read('{"memory_top_k":"many"}')).rejects.toThrow(/memory_top_k/);
  await expect(read(`{"memory_id":"${'x'.repeat(20_000)}"}`)).rejects.toThrow(/memory_id/);
  await expect(read(`{"messages":[${'1,'.repeat(10_000)}1]}`)).rejects.toThrow(/messages: must not be more/);
});

describe('messages', () => {
  test('of parts have the texts of the parts; images stay where they are', async () => {
    const image = `{"type":"image_url","image_url":{"url":"data:${'A'.repeat(50)}"}}`;
    const { messages } = await read(
      `{"messages":[{"role":"user","content":[{"type":"text","text":"a"},${image},{"text":"b\\u00e9"}]}]}`,
    );
    expect(lastUserText(messages ?? [])).toBe('a\nbé');
    expect(JSON.stringify(messages)).not.toContain('AAAA');
  });

  test('what says nothing is no message, and the last of repeated keys counts', async () => {
    const { messages } = await read(
      '{"messages":"x","messages":[null,1,[],{"role":"user","content":"a","content":"b"}]}',
    );
    expect(messages).toEqual([expect.objectContaining({ role: 'user', content: 'b' })]);
  });

  test('tool calls nested deeper than what is stored are not looked at', async () => {
    const calls = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`;
    const { messages } = await read(`{"messages":[{"tool_calls":${calls(16)}},{"tool_calls":${calls(17)}}]}`);
    expect(messages?.map((message) => message.tool_calls === undefined)).toEqual([false, true]);
  });

  test('more text than any model reads is passed on without being read', async () => {
    const large = JSON.stringify({ role: 'user', content: 'x'.repeat(5 * 1024 * 1024) });
    expect((await read(`{"messages":[${large}]}`)).messages).toHaveLength(1);
    expect((await read(`{"messages":[${large},${large}]}`)).messages).toBeNull();
  });
});

describe('what is removed', () => {
  test('takes its comma along and leaves the other bytes alone', async () => {
    expect(await forwarded('{"big":12345678901234567890, "memory_id":"x", "t":1.0}')).toBe(
      '{"big":12345678901234567890, "t":1.0}',
    );
    expect(await forwarded('{ "memory_id":"1", "a": 1,\n "memory_id":"2", "b": 2 , "memory_id":"3" }')).toBe(
      '{ "a": 1,\n "b": 2 }',
    );
    expect(await forwarded('{"memory_id":"x"}')).toBe('{}');
    expect(await forwarded('{"memory_id":"x", "memory_top_k" : 3 }')).toBe('{ }');
  });

  test('of any request, what is left is what JSON.parse would have left', async () => {
    const fields = fc.dictionary(
      fc.oneof(fc.string(), fc.constantFrom('memory_id', 'memory_top_k')),
      fc.jsonValue(),
    );
    await fc.assert(
      fc.asyncProperty(fields, fc.constantFrom(undefined, 1, '\t'), async (value, space) => {
        const { memory_id, memory_top_k, ...left } = value;
        const body = {
          ...left,
          ...(memory_id === undefined ? {} : { memory_id: 'x' }),
          ...(memory_top_k === undefined ? {} : { memory_top_k: 1 }),
        };
        const text = JSON.stringify(body, null, space);
        expect(JSON.parse(await forwarded(text))).toEqual(JSON.parse(JSON.stringify(left)));
      }),
    );
  });
});

describe('putting memory in', () => {
  const body =
    '{"n":1.0,"messages":[ {"role":"system","content":"s"}, {"role":"user","content":"q"} ,{"role":"tool","content":"t"}]}';

  test('in place of the last user message', () => {
    expect(saying(body, 'M "q"')).toBe(body.replace('"q"', String.raw`"M \"q\""`));
  });

  test('beside the parts that are not text', () => {
    const image = '{"type":"image_url","image_url":{"url":"data:x"} }';
    const of = (parts: string) => `{"messages":[{"role":"user","content":[${parts}]}]}`;
    const text = '{"type":"text","text":"q"}';
    const memory = '{"type":"text","text":"M"}';
    expect(saying(of(`${text}, ${image}`), 'M')).toBe(of(`${memory},${image}`));
    expect(saying(of(` ${image},${text} ,${image} `), 'M')).toBe(of(`${memory},${image},${image}`));
    expect(saying(of(text), 'M')).toBe(of(memory));
    expect(saying(of(''), 'M')).toBe(of(memory));
  });

  test('as a system message after those that begin it', () => {
    expect(told(body, 'M')).toBe(
      body.replace(' {"role":"user"', ' {"role":"system","content":"M"},{"role":"user"'),
    );
    expect(told('{"messages":[{"role":"system","content":"s"}]}', 'M')).toBe(
      '{"messages":[{"role":"system","content":"s"},{"role":"system","content":"M"}]}',
    );
    expect(told('{"messages":[]}', 'M')).toBe('{"messages":[{"role":"system","content":"M"}]}');
  });

  test('nowhere when there is no place', () => {
    for (const text of ['{}', '{"messages":"x"}', '{"messages":[{"role":"system","content":"s"}]}']) {
      expect(saying(text, 'M')).toBe(text);
    }
    expect(told('{}', 'M')).toBe('{}');
  });
});
