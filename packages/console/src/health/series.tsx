import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { client } from '../client.ts';
import { formatCompact, formatDuration } from '../text/format.ts';
import { Empty, Loaded } from '../ui/states.tsx';
import { type Line, Plot } from './plot.tsx';

const HOUR_MS = 3_600_000;
const INTERVALS = {
  '': { interval: 'minute', spanMs: HOUR_MS, refreshMs: 10_000 },
  day: { interval: 'hour', spanMs: 24 * HOUR_MS, refreshMs: 60_000 },
  month: { interval: 'day', spanMs: 30 * 24 * HOUR_MS, refreshMs: 300_000 },
} as const;

type Point = Awaited<ReturnType<typeof client.extractions.series>>['data'][number];

/** What was accepted over time and what became of it, from the ledger. */
export function Series({ period }: Readonly<{ period: string }>) {
  const { interval, spanMs, refreshMs } = INTERVALS[period === 'day' || period === 'month' ? period : ''];
  const series = useQuery({
    queryKey: ['series', interval],
    queryFn: ({ signal }) =>
      client.extractions.series({ interval, since: new Date(Date.now() - spanMs).toISOString() }, { signal }),
    refetchInterval: refreshMs,
  });
  return (
    <Loaded query={series} what="the series">
      {({ data }) =>
        data.length === 0 ? <Empty title="Nothing was accepted in this period." /> : <Plots points={data} />
      }
    </Loaded>
  );
}

function Plots({ points }: Readonly<{ points: readonly Point[] }>) {
  const { times, outcomes, latencies, waiting, tokens } = useMemo(() => {
    const line = (label: string, color: string, of: (point: Point) => number | null): Line => ({
      label,
      color,
      values: points.map(of),
    });
    return {
      times: points.map(({ at }) => Date.parse(at) / 1_000),
      outcomes: [
        line('accepted', '--accent', ({ accepted }) => accepted),
        line('done', '--ok', ({ done }) => done),
        line('failed', '--bad', ({ failed }) => failed),
        line('dropped', '--warn', ({ dropped }) => dropped),
      ],
      latencies: [
        line('median', '--accent', (point) => point.latency_p50_ms),
        line('95 of 100', '--warn', (point) => point.latency_p95_ms),
      ],
      waiting: [
        line('waiting', '--accent', (point) => point.waiting),
        line('at work', '--ok', (point) => point.active),
        line('deferred', '--warn', (point) => point.deferred),
      ],
      tokens: [
        line('in', '--accent', (point) => point.prompt_tokens),
        line('out', '--ok', (point) => point.completion_tokens),
      ],
    };
  }, [points]);
  return (
    <div className="plots">
      <Plot title="Extractions by outcome" times={times} lines={outcomes} format={formatCompact} />
      <Plot title="From accepted to applied" times={times} lines={latencies} format={formatDuration} />
      <Plot title="Still waiting" times={times} lines={waiting} format={formatCompact} />
      <Plot title="Tokens" times={times} lines={tokens} format={formatCompact} />
    </div>
  );
}
