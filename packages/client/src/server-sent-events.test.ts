import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { collect } from './collect.fixture.ts';
import { createEventParser, readEvents } from './server-sent-events.ts';

function parse(...pushes: string[]): string[] {
  const parser = createEventParser();
  return pushes.flatMap((text) => parser.push(text));
}

function streamOf(chunks: readonly Uint8Array[]): ReadableStream<Uint8Array> {
  return new ReadableStream({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(chunk);
      controller.close();
    },
  });
}

function eventsOf(chunks: readonly Uint8Array[]): Promise<string[]> {
  return collect(readEvents(streamOf(chunks)));
}

describe('server-sent events', () => {
  test.each([
    ['one event per blank line', 'data: a\n\ndata: b\n\n', ['a', 'b']],
    ['lines of one event', 'data: a\ndata:b\ndata\n\n', ['a\nb\n']],
    ['only one space is cut', 'data:  a \n\n', [' a ']],
    ['comments, names and ids', ': ping\n\nevent: x\nid: 1\nretry: 5\ndata: a\n\n', ['a']],
    ['a name without data', 'event: x\n\n', []],
    ['a byte order mark', '\uFEFFdata: a\n\n', ['a']],
    ['carriage returns', 'data: a\r\rdata: b\r\n\r\ndata: c\r\n\n', ['a', 'b', 'c']],
    ['an event that has not ended', 'data: a\n\ndata: b\n', ['a']],
    ['a field that begins like data', 'database: a\n\n', []],
  ])('%s', (_what, text, events) => {
    expect(parse(text)).toEqual(events);
    expect(parse(...text)).toEqual(events);
  });

  test('wherever the bytes are cut, the events are the same', async () => {
    const line = fc.oneof(
      fc.constantFrom('', 'data', 'data:', ': note', 'event: x', 'data: [DONE]'),
      fc.string({ unit: 'binary', maxLength: 12 }).map((text) => `data: ${text.replaceAll(/[\r\n]/g, '')}`),
    );
    const stream = fc
      .array(fc.tuple(line, fc.constantFrom('\n', '\r', '\r\n')), { maxLength: 8 })
      .map((lines) => lines.map(([text, end]) => text + end).join(''));
    await fc.assert(
      fc.asyncProperty(stream, fc.array(fc.nat(200), { maxLength: 8 }), async (text, cuts) => {
        const bytes = new TextEncoder().encode(text);
        const places = [0, ...cuts.filter((cut) => cut < bytes.length).sort((a, b) => a - b), bytes.length];
        const chunks = places.slice(1).map((end, index) => bytes.subarray(places[index] ?? 0, end));
        const whole = await eventsOf([bytes]);
        expect(await eventsOf(chunks)).toEqual(whole);
        expect(await eventsOf([...bytes].map((byte) => Uint8Array.of(byte)))).toEqual(whole);
      }),
    );
  });

  test('what was said comes back, whatever it is', () => {
    fc.assert(
      fc.property(fc.array(fc.jsonValue()), (values) => {
        const said = values.map((value) => JSON.stringify(value));
        expect(parse(said.map((text) => `data: ${text}\n\n`).join(''))).toEqual(said);
      }),
    );
  });

  test('leaving the loop early closes the stream', async () => {
    let closed = false;
    const endless = new ReadableStream<Uint8Array>({
      pull: (controller) => controller.enqueue(new TextEncoder().encode('data: a\n\n')),
      cancel: () => {
        closed = true;
      },
    });
    for await (const data of readEvents(endless)) {
      expect(data).toBe('a');
      break;
    }
    expect(closed).toBe(true);
  });
});
