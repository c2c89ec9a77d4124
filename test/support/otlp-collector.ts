import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';

export type CollectedSpan = Readonly<{
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
}>;

export type OtlpCollector = Readonly<{
  url: string;
  spans: () => CollectedSpan[];
  /** How many log records came in. */
  logRecords: () => number;
  /** Everything that was sent, as text. */
  dump: () => string;
  close: () => Promise<void>;
}>;

type Traces = { resourceSpans?: { scopeSpans?: { spans?: CollectedSpan[] }[] }[] };
type Logs = { resourceLogs?: { scopeLogs?: { logRecords?: unknown[] }[] }[] };

/** An OpenTelemetry collector that keeps what it is sent over HTTP as JSON. */
export async function startOtlpCollector(): Promise<OtlpCollector> {
  const bodies: { path: string; text: string }[] = [];
  const server = createServer((request, response) => {
    void readText(request).then((text) => {
      bodies.push({ path: request.url ?? '', text });
      response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const of = (path: string) =>
    bodies.filter((body) => body.path === path).map((body) => JSON.parse(body.text) as unknown);
  return {
    url: `http://127.0.0.1:${port}`,
    spans: () =>
      (of('/v1/traces') as Traces[]).flatMap(({ resourceSpans = [] }) =>
        resourceSpans.flatMap(({ scopeSpans = [] }) => scopeSpans.flatMap(({ spans = [] }) => spans)),
      ),
    logRecords: () =>
      (of('/v1/logs') as Logs[]).flatMap(({ resourceLogs = [] }) =>
        resourceLogs.flatMap(({ scopeLogs = [] }) => scopeLogs.flatMap(({ logRecords = [] }) => logRecords)),
      ).length,
    dump: () => bodies.map((body) => body.text).join('\n'),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function readText(request: IncomingMessage): Promise<string> {
  request.setEncoding('utf8');
  let text = '';
  for await (const chunk of request) text += String(chunk);
  return text;
}
