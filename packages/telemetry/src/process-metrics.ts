import { metrics, type ObservableResult } from '@opentelemetry/api';
import { readdir } from 'node:fs/promises';
import { monitorEventLoopDelay, performance, PerformanceObserver } from 'node:perf_hooks';
import { createDuration, createGauge } from './metrics.ts';

/** How often the delay of the event loop is sampled: every 20 ms takes 0.4 % of a core from an idle process. */
const SAMPLE_MS = 100;
const PERCENTILES = [50, 99, 100];
/** Node's constants for kinds of garbage collection. */
const GC_KINDS: Readonly<Record<number, string>> = { 1: 'minor', 4: 'major', 8: 'incremental', 16: 'weak' };

/**
 * Resource use of this process: processor time, memory, open files, event loop, garbage collection; with the names
 * that Node dashboards know. Own code, because the packages for it bring 5 MB and another SDK version, and lack
 * open files.
 */
export function startProcessMetrics(): { close: () => void } {
  const one = (value: number) => Promise.resolve([{ value }]);
  const delay = monitorEventLoopDelay({ resolution: SAMPLE_MS });
  delay.enable();
  let utilisation = performance.eventLoopUtilization();
  const recordGc = createDuration('nodejs_gc_duration_seconds', 'Garbage collections by kind');
  const collections = new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) {
      const { kind } = ('detail' in entry ? (entry.detail ?? {}) : {}) as { kind?: number };
      recordGc(entry.duration, { kind: GC_KINDS[kind ?? 0] ?? 'other' });
    }
  });
  collections.observe({ entryTypes: ['gc'] });
  const gauges = [
    createGauge('process_resident_memory_bytes', 'Memory that the system has given this process', () =>
      one(process.memoryUsage.rss()),
    ),
    createGauge('nodejs_heap_size_used_bytes', 'Memory that JavaScript objects take', () =>
      one(process.memoryUsage().heapUsed),
    ),
    createGauge('process_open_fds', 'Open files and sockets; on Linux only', async () =>
      one((await readdir('/proc/self/fd')).length),
    ),
    createGauge(
      'nodejs_eventloop_lag_seconds',
      'How late the event loop was since the last scrape, by percentile',
      async () => {
        const lags = PERCENTILES.map((percentile) => ({
          value: Math.max(0, delay.percentile(percentile) / 1e9 - SAMPLE_MS / 1_000),
          attributes: { percentile: String(percentile) },
        }));
        delay.reset();
        return lags;
      },
    ),
    createGauge(
      'nodejs_eventloop_utilization',
      'Share of the time since the last scrape that it was busy',
      () => {
        const now = performance.eventLoopUtilization();
        const { utilization } = performance.eventLoopUtilization(now, utilisation);
        utilisation = now;
        return one(utilization);
      },
    ),
  ];
  const cpu = observeCpu();
  return {
    close: () => {
      for (const closer of [...gauges, cpu]) closer.close();
      collections.disconnect();
      delay.disable();
    },
  };
}

function observeCpu(): { close: () => void } {
  const counter = metrics
    .getMeter('factmill')
    .createObservableCounter('process_cpu_seconds_total', { description: 'Processor time of this process' });
  const observe = (result: ObservableResult) => {
    const { user, system } = process.cpuUsage();
    result.observe((user + system) / 1e6);
  };
  counter.addCallback(observe);
  return { close: () => counter.removeCallback(observe) };
}
