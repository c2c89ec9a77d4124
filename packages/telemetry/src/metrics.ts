import { type Attributes, metrics, type ObservableResult } from '@opentelemetry/api';

const METER = 'factmill';

const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];

/**
 * Counts events; labels are few and never ids of users.
 *
 * @param series the labels that it can have, each of which is there at 0 from the start: the first event of a series
 * that appears with it is no increase for an alert. Without labels `[{}]`.
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

/** A value read at each scrape. A read that fails leaves a gap instead of failing the scrape. */
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
      // The service's own health says what is wrong; a scrape is not the place.
    }
  };
  gauge.addCallback(observe);
  return {
    close: () => {
      gauge.removeCallback(observe);
    },
  };
}
