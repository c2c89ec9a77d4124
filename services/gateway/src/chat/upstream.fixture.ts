import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';

/** A request as the upstream got it, byte by byte. */
type Received = Readonly<{
  method: string;
  path: string;
  headers: IncomingHttpHeaders;
  body: Buffer;
  json: () => Record<string, unknown>;
}>;

export type UpstreamUnderTest = Readonly<{
  /** With `/v1`, as an upstream is configured. */
  url: string;
  origin: string;
  received: Received[];
  /** What to do with the next requests; the default echoes. */
  answerWith: (answer: (request: Received, response: ServerResponse) => void) => void;
  close: () => Promise<void>;
}>;

/** A completion that says what it was asked, so that two equal requests get equal answers. */
export function completion(content: string | null, more: object = {}): string {
  return JSON.stringify({
    id: 'chatcmpl-1',
    object: 'chat.completion',
    created: 1,
    model: 'm',
    choices: [{ index: 0, message: { role: 'assistant', content, ...more }, finish_reason: 'stop' }],
    usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
  });
}

export function answerJson(response: ServerResponse, body: object): void {
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

/** The events of a streamed completion, one per word. */
export function events(content: string): string[] {
  const chunk = (delta: object, finish: string | null = null) =>
    `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm', choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;
  return [
    chunk({ role: 'assistant', content: '' }),
    ...(content.match(/\s*\S+/g) ?? []).map((word) => chunk({ content: word })),
    chunk({}, 'stop'),
    'data: [DONE]\n\n',
  ];
}

/** An HTTP server that stands where a chat provider would, or retrieval. */
export async function startUpstream(): Promise<UpstreamUnderTest> {
  const received: Received[] = [];
  const byDefault = (request: Received, response: ServerResponse): void => {
    const isStream = request.body.includes('"stream":true');
    response.writeHead(200, {
      'content-type': isStream ? 'text/event-stream' : 'application/json',
      'x-request-id': 'upstream-1',
    });
    if (isStream) for (const event of events('Hello there.')) response.write(event);
    response.end(isStream ? undefined : completion('Hello there.'));
  };
  let answer = byDefault;
  const server = createServer((incoming, response) => {
    const chunks: Buffer[] = [];
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
    incoming.once('end', () => {
      const body = Buffer.concat(chunks);
      const request = {
        method: incoming.method ?? '',
        path: incoming.url ?? '',
        headers: incoming.headers,
        body,
        json: () => JSON.parse(body.toString('utf8')) as Record<string, unknown>,
      };
      received.push(request);
      answer(request, response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const origin = `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`;
  return {
    url: `${origin}/v1`,
    origin,
    received,
    answerWith: (next) => {
      answer = next;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
