import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { createBodyReader, createStreamReader } from './read-reply.ts';

function event(delta: object, index = 0): string {
  return `data: ${JSON.stringify({ choices: [{ index, delta }] })}\n\n`;
}

describe('a stream', () => {
  const text = [
    ': a comment\n\n',
    event({ role: 'assistant', content: '' }),
    event({ content: 'Grüße, ' }),
    event({ content: 'other choice' }, 1),
    event({ content: '你好 👋🏽' }),
    event({ tool_calls: [{ index: 0, id: 'c1', function: { name: 'look', arguments: '{"a"' } }] }),
    event({ tool_calls: [{ index: 0, function: { arguments: ':1}' } }] }),
    'data: not json\n\n',
    'data: [DONE]\n\n',
  ].join('');

  test('gives the same reply however it is cut into chunks', () => {
    const bytes = Buffer.from(text);
    fc.assert(
      fc.property(fc.array(fc.nat(bytes.length), { maxLength: 20 }), (cuts) => {
        const reader = createStreamReader();
        const places = [0, ...cuts.toSorted((a, b) => a - b), bytes.length];
        places.slice(1).forEach((end, index) => reader.push(bytes.subarray(places[index], end)));
        expect(reader.reply()).toEqual({
          content: 'Grüße, 你好 👋🏽',
          toolCalls: [{ id: 'c1', type: 'function', function: { name: 'look', arguments: '{"a":1}' } }],
        });
      }),
    );
  });

  test('that breaks off gives what there was', () => {
    const reader = createStreamReader();
    reader.push(Buffer.from(`${event({ content: 'The begin' })}data: {"choi`));
    expect(reader.reply().content).toBe('The begin');
  });
});

test('a whole body gives its first choice; anything else gives nothing', () => {
  const read = (text: string) => {
    const reader = createBodyReader();
    reader.push(Buffer.from(text));
    return reader.reply();
  };
  expect(read('{"choices":[{"index":0,"message":{"content":"Hi"}}]}').content).toBe('Hi');
  for (const text of ['', '<html>', '{"choices":{}}', '[]', 'null']) {
    expect(read(text)).toEqual({ content: '', toolCalls: [] });
  }
});
