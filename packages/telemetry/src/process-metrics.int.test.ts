import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createCounter, seriesOf } from './metrics.ts';
import { startTelemetry, type Telemetry } from './start-telemetry.ts';

let telemetry: Telemetry;
let server: Server;
beforeAll(async () => {
  telemetry = await startTelemetry({ service: 'test', version: '0', otlpEndpoint: null });
  server = createServer((request, response) => telemetry.metricsHandler(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterAll(async () => {
  await new Promise((resolve) => server.close(resolve));
  await telemetry.close();
});

async function scrape(): Promise<ReadonlyMap<string, number>> {
  const response = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/metrics`);
  const lines = (await response.text()).split('\n').filter((line) => /^[a-z]/.test(line));
  return new Map(
    lines.map((line) => {
      const [series = '', value] = line.split(/ (?=[\d.e+-]+(?: \d+)?$)/);
      return [
        series.replaceAll(/,?otel_scope_\w+="[^"]*"/g, '').replace('{}', ''),
        Number.parseFloat(value ?? ''),
      ];
    }),
  );
}

test('a counter has all its series at 0 before anything happens', async () => {
  const count = createCounter('test_events_total', 'x', seriesOf({ kind: ['a', 'b'], result: ['ok', 'no'] }));
  createCounter('test_plain_total', 'x', [{}]);
  const before = await scrape();
  for (const kind of ['a', 'b']) {
    for (const result of ['ok', 'no'])
      expect(before.get(`test_events_total{kind="${kind}",result="${result}"}`)).toBe(0);
  }
  expect(before.get('test_plain_total')).toBe(0);
  count(2, { kind: 'a', result: 'no' });
  expect((await scrape()).get('test_events_total{kind="a",result="no"}')).toBe(2);
});

test('the process says what it uses', async () => {
  const first = await scrape();
  expect(first.get('process_resident_memory_bytes')).toBeGreaterThan(10_000_000);
  expect(first.get('nodejs_heap_size_used_bytes')).toBeGreaterThan(1_000_000);
  expect(first.get('process_open_fds')).toBeGreaterThan(3);
  for (const percentile of [50, 99, 100])
    expect(first.get(`nodejs_eventloop_lag_seconds{percentile="${percentile}"}`)).toBeGreaterThanOrEqual(0);
  const utilisation = first.get('nodejs_eventloop_utilization');
  expect(utilisation).toBeGreaterThanOrEqual(0);
  expect(utilisation).toBeLessThanOrEqual(1);
  const used = first.get('process_cpu_seconds_total') ?? 0;
  for (const until = process.cpuUsage().user + 200_000; process.cpuUsage().user < until;) Math.sqrt(used);
  expect((await scrape()).get('process_cpu_seconds_total')).toBeGreaterThan(used + 0.19);
});
