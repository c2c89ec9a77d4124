import 'uplot/dist/uPlot.min.css';
import { useEffect, useRef } from 'react';
import UPlot from 'uplot';
import { formatTime } from '../text/format.ts';
import { useThemeVersion } from './theme-version.ts';

export type Line = Readonly<{ label: string; color: string; values: readonly (number | null)[] }>;

type PlotProps = Readonly<{
  title: string;
  /** Unix seconds. */
  times: readonly number[];
  lines: readonly Line[];
  format: (value: number) => string;
}>;

const HEIGHT = 180;

/** Lines over time, with the same numbers as a table for those who cannot see the plot. */
export function Plot({ title, times, lines, format }: PlotProps) {
  const holder = useRef<HTMLDivElement>(null);
  const theme = useThemeVersion();
  useEffect(() => {
    const element = holder.current;
    if (element === null) return;
    const plot = new UPlot(
      optionsOf(lines, format, element.clientWidth),
      [[...times], ...lines.map(({ values }) => [...values])] as UPlot.AlignedData,
      element,
    );
    const observer = new ResizeObserver(() => plot.setSize({ width: element.clientWidth, height: HEIGHT }));
    observer.observe(element);
    return () => {
      observer.disconnect();
      plot.destroy();
    };
  }, [times, lines, format, theme]);
  return (
    <figure className="plot">
      <figcaption>{title}</figcaption>
      <div ref={holder} role="img" aria-label={`${title}: ${summaryOf(lines, format)}`} />
      <details>
        <summary>As a table</summary>
        <PlotTable times={times} lines={lines} format={format} title={title} />
      </details>
    </figure>
  );
}

function optionsOf(lines: readonly Line[], format: (value: number) => string, width: number): UPlot.Options {
  const text = resolveColor('--muted');
  const grid = { stroke: resolveColor('--line'), width: 1 };
  return {
    width,
    height: HEIGHT,
    cursor: { points: { size: 6 } },
    axes: [
      {
        stroke: text,
        grid,
        ticks: grid,
        values: (_plot, ticks, _axis, _space, step) => ticks.map((tick) => toTick(tick, step)),
      },
      {
        stroke: text,
        grid,
        ticks: grid,
        size: 64,
        values: (_plot, ticks) => ticks.map((tick) => format(tick)),
      },
    ],
    scales: { y: { range: (_plot, _low, high) => [0, Math.max(high * 1.1, 1)] } },
    series: [
      { value: (_plot, time) => (time === null ? '–' : formatTime(time * 1_000)) },
      ...lines.map(({ label, color }) => ({
        label,
        stroke: resolveColor(color),
        width: 1.5,
        // A value with none beside it would have no line.
        points: { show: true, size: 4 },
        value: (_plot: UPlot, value: number | null) => (value === null ? '–' : format(value)),
      })),
    ],
  };
}

const DAY_SECONDS = 86_400;
const clock = new Intl.DateTimeFormat('en-GB', { timeStyle: 'short' });
const day = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short' });

function toTick(time: number, step: number): string {
  return (step < DAY_SECONDS ? clock : day).format(new Date(time * 1_000));
}

/** A colour of the style sheet as a canvas takes it. */
function resolveColor(name: string): string {
  const probe = document.createElement('span');
  probe.style.color = `var(${name})`;
  document.body.append(probe);
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}

function summaryOf(lines: readonly Line[], format: (value: number) => string): string {
  return lines
    .map(({ label, values }) => {
      const known = values.filter((value) => value !== null);
      const last = known.at(-1);
      return last === undefined
        ? `${label} none`
        : `${label} ${format(last)}, at most ${format(Math.max(...known))}`;
    })
    .join('; ');
}

const MAX_ROWS = 60;

function PlotTable({ times, lines, format, title }: PlotProps) {
  const from = Math.max(0, times.length - MAX_ROWS);
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- what scrolls has to be reached by keyboard
    <div className="rows plot-table" tabIndex={0} role="region" aria-label={`${title}, numbers`}>
      <table>
        <thead>
          <tr>
            <th scope="col">Time</th>
            {lines.map(({ label }) => (
              <th key={label} scope="col" className="number">
                {label}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {times.slice(from).map((time, index) => (
            <tr key={time}>
              <th scope="row">{formatTime(time * 1_000)}</th>
              {lines.map(({ label, values }) => {
                const value = values[from + index] ?? null;
                return (
                  <td key={label} className="number">
                    {value === null ? '–' : format(value)}
                  </td>
                );
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
