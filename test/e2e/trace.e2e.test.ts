import { waitFor } from '@factmill/testkit';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Redis } from 'ioredis';
import { type CollectedSpan, type OtlpCollector, startOtlpCollector } from '../support/otlp-collector.ts';
import { openSystem, type SystemUnderTest } from '../support/system-under-test.ts';

/** In the message, in the model's reply, in the search, and nowhere else that anyone could read. */
const MARKER = 'Quetzalcoatlus';

let system: SystemUnderTest;
let collector: OtlpCollector;

beforeAll(async () => {
  collector = await startOtlpCollector();
  system = await openSystem({
    EMBEDDING_PROVIDER: 'openai',
    EMBEDDING_MODEL: 'scripted-embedding',
    LOG_LEVEL: 'trace',
    RETRY_INTERVAL_MS: '100',
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
    OTEL_LOGS_EXPORTER: 'otlp',
    OTEL_BSP_SCHEDULE_DELAY: '200',
    OTEL_BLRP_SCHEDULE_DELAY: '200',
  });
});
afterAll(async () => {
  await system.close();
  await collector.close();
});

async function post(path: string, body: unknown): Promise<Record<string, unknown>> {
  const response = await fetch(`${system.url}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  return (await response.json()) as Record<string, unknown>;
}

/** The spans of the trace that a request to this route began, once all the named ones are there. */
function untilTraced(route: string, names: readonly string[]): Promise<CollectedSpan[]> {
  return waitFor(
    () => {
      const spans = collector.spans();
      const root = spans.find((span) => span.name === route);
      const trace = spans.filter((span) => span.traceId === root?.traceId);
      return names.every((name) => trace.some((span) => span.name === name)) ? trace : undefined;
    },
    { describe: `the trace of ${route}` },
  );
}

async function redisContent(): Promise<string> {
  const client = new Redis(system.redis.url);
  try {
    const keys = await client.keys(`${system.redis.keyPrefix}*`);
    const values = await Promise.all(
      keys.map(async (key) => {
        const type = await client.type(key);
        if (type === 'hash') return client.hgetall(key);
        return type === 'stream' ? client.xrange(key, '-', '+') : key;
      }),
    );
    return JSON.stringify(values);
  } finally {
    client.disconnect();
  }
}

test('one trace leads from the request through the queue to the stored memory, and tells nobody what was said', async () => {
  let calls = 0;
  system.model.setReply(({ endpoint }) => {
    if (endpoint !== 'chat') return undefined;
    calls += 1;
    // One error and one unreadable reply on the way, both with the user's words in them.
    if (calls === 1) return { status: 503, body: { error: { message: `no ${MARKER} today` } } };
    if (calls === 2) return { content: `Let me think about ${MARKER}.` };
    return { content: JSON.stringify({ facts: { pet: MARKER } }) };
  });
  const accepted = await post('/v1/extractions', {
    user_id: 'maya',
    messages: [{ role: 'user', content: `My pet is a ${MARKER}.` }],
  });
  const extraction = await untilTraced('POST /v1/extractions', ['extract', 'model call', 'embed', 'apply']);
  const root = extraction.find((span) => span.name === 'POST /v1/extractions');
  const runs = extraction.filter((span) => span.name === 'extract');
  expect(runs.map((run) => run.parentSpanId)).toEqual(runs.map(() => root?.spanId));
  expect(extraction.filter((span) => span.name === 'model call')).toHaveLength(3);
  const ids = new Set(runs.map((run) => run.spanId));
  for (const step of extraction.filter((span) => ['model call', 'embed', 'apply'].includes(span.name))) {
    expect(ids).toContain(step.parentSpanId);
  }

  const found = await post('/v1/memories/search', { user_id: 'maya', query: `${MARKER} pet` });
  expect(JSON.stringify(found)).toContain(MARKER);
  const search = await untilTraced('POST /v1/memories/search', ['forward /v1/memories/search']);
  await waitFor(
    () =>
      collector
        .spans()
        .filter((span) => span.traceId === search[0]?.traceId && span.name === 'POST /v1/memories/search')
        .length === 2,
    { describe: 'the span of retrieval in the same trace' },
  );

  await waitFor(() => collector.logRecords() > 0, { describe: 'log records' });
  for (const service of system.services) await service.kill('SIGTERM');
  expect(accepted['id']).toEqual(expect.any(String));
  expect(collector.dump()).toContain(String(accepted['id']));
  expect(collector.dump()).not.toContain(MARKER);
  expect(await redisContent()).toContain(String(accepted['id']));
  expect(await redisContent()).not.toContain(MARKER);
  for (const service of system.services) expect(service.output()).not.toContain(MARKER);
});
