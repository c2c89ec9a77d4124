/**
 * Reads server-sent events (WHATWG HTML, 9.2.6) as chat completions use them: the data of each event, without
 * names, ids and comments. Text may be cut anywhere between two pushes. An event without a blank line after it at
 * the end of the stream is dropped.
 */
export function createEventParser(): Readonly<{ push: (text: string) => string[] }> {
  let rest = '';
  let data: string[] = [];
  let isFirst = true;
  /** The last text ended with a carriage return; a line feed may follow it as the same line end. */
  let endedWithReturn = false;

  function readLine(line: string, events: string[]): void {
    if (line === '') {
      if (data.length > 0) events.push(data.join('\n'));
      data = [];
      return;
    }
    const colon = line.indexOf(':');
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? '' : line.slice(colon + 1).replace(/^ /, '');
    if (field === 'data') data.push(value);
  }

  return {
    push(text) {
      if (text === '') return [];
      const start =
        (isFirst && text.startsWith('\uFEFF')) || (endedWithReturn && text.startsWith('\n')) ? 1 : 0;
      isFirst = false;
      endedWithReturn = text.endsWith('\r');
      const lines = (rest + text.slice(start)).split(/\r\n|\n|\r/);
      rest = lines.pop() ?? '';
      const events: string[] = [];
      for (const line of lines) readLine(line, events);
      return events;
    },
  };
}

/** The data of each event of a stream of bytes. Leaving the loop early closes the stream. */
export async function* readEvents(body: ReadableStream<Uint8Array>): AsyncGenerator<string, void, undefined> {
  const parser = createEventParser();
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  const reader = body.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      yield* parser.push(decoder.decode(value, { stream: true }));
    }
  } finally {
    // The stream may have failed already; its reader got that error.
    await reader.cancel().catch(() => undefined);
  }
}
