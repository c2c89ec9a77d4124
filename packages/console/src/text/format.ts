const numbers = new Intl.NumberFormat('en');
const compact = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 });
const dateTimes = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short' });

/** `12,345`. */
export function formatCount(value: number): string {
  return numbers.format(value);
}

/** `12.3K`, for the axes of plots. */
export function formatCompact(value: number): string {
  return compact.format(value);
}

/** Three decimals without zeros at the end, as scores are shown. */
export function formatScore(value: number | null | undefined): string {
  return value == null ? '–' : String(Math.round(value * 1_000) / 1_000);
}

/** `23 Nov 2026, 04:05` in the time zone of the browser. */
export function formatTime(at: string | number): string {
  return dateTimes.format(new Date(at));
}

const STEPS: readonly (readonly [Intl.RelativeTimeFormatUnit, number])[] = [
  ['year', 31_557_600],
  ['month', 2_629_800],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
];
const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });

/** `3 hours ago`, `in 2 days`. */
export function formatAgo(at: string | number, nowMs: number): string {
  const seconds = (new Date(at).getTime() - nowMs) / 1_000;
  for (const [unit, size] of STEPS) {
    if (Math.abs(seconds) >= size) return relative.format(Math.round(seconds / size), unit);
  }
  return seconds > 5 ? 'in a moment' : 'just now';
}

/** `350 ms`, `4.2 s`, `3 min`, `5.1 h`, `2.4 d`. */
export function formatDuration(ms: number | null | undefined): string {
  if (ms == null) return '–';
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${round(ms / 1_000)} s`;
  if (ms < 3_600_000) return `${round(ms / 60_000)} min`;
  return ms < 86_400_000 ? `${round(ms / 3_600_000)} h` : `${round(ms / 86_400_000)} d`;
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}

/** `memory.read_all` → `memory read all`; codes as words. */
export function toWords(code: string): string {
  return code.replaceAll(/[_.]/g, ' ');
}
