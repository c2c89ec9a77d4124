import { type Attributes, metrics, type ObservableResult } from '@opentelemetry/api';

const METER = 'factmill';

const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];

/**
 * Counts events; labels are few and never user ids.
 *
 * @param series all possible label sets. Each is exported with 0 from the start: an alert would miss the first
 *   event of a series that appears with it. Without labels `[{}]`.
 */
export function createCounter(name: string, description: string, series: readonly Attributes[]) {
  const counter = metrics.getMeter(METER).createCounter(name, { description });
  for (const attributes of series) counter.add(0, attributes);
  return (value: number, attributes?: Attributes) => {
    counter.add(value, attributes);
  };
}

/** All combinations of labels: `{kind: ['a', 'b'], outcome: ['ok']}` are two series. */
export function seriesOf(labels: Readonly<Record<string, readonly string[]>>): Attributes[] {
  return Object.entries(labels).reduce<Attributes[]>(
    (series, [label, values]) =>
      series.flatMap((attributes) => values.map((value) => ({ ...attributes, [label]: value }))),
    [{}],
  );
}

/** Durations in seconds. */
export function createDuration(name: string, description: string) {
  const histogram = metrics
    .getMeter(METER)
    .createHistogram(name, { description, unit: 's', advice: { explicitBucketBoundaries: SECONDS } });
  return (milliseconds: number, attributes?: Attributes) => {
    histogram.record(milliseconds / 1_000, attributes);
  };
}

/** A value read at each scrape. A failing read leaves a gap; the scrape itself succeeds. */
export function createGauge(
  name: string,
  description: string,
  read: () => Promise<readonly { value: number; attributes?: Attributes }[]>,
): { close: () => void } {
  const gauge = metrics.getMeter(METER).createObservableGauge(name, { description });
  const observe = async (result: ObservableResult) => {
    try {
      for (const { value, attributes } of await read()) result.observe(value, attributes);
    } catch {
      // Health reports the problem; a scrape does not.
    }
  };
  gauge.addCallback(observe);
  return {
    close: () => {
      gauge.removeCallback(observe);
    },
  };
}
