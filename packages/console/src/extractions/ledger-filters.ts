import { EXTRACTION_STATES } from '../codes.ts';
import type { UrlSearch } from '../url-search.ts';

/** What part of the ledger is shown, as the address says it. */
export type LedgerFilters = Readonly<{
  user: string;
  state: string;
  reason: string;
  error: string;
  trigger: string;
  period: string;
}>;

/** Periods up to now, in hours. */
export const PERIODS: Readonly<Record<string, number>> = { hour: 1, day: 24, week: 168, month: 720 };

export function parseLedgerFilters(search: UrlSearch): LedgerFilters {
  const text = (name: string) => search[name] ?? '';
  return {
    user: text('user'),
    state: EXTRACTION_STATES.find((state) => state === search['state']) ?? '',
    reason: text('reason'),
    error: text('error'),
    trigger: text('trigger'),
    period: text('period') in PERIODS ? text('period') : '',
  };
}

/** When a period began, to the minute, so that the same question is asked once. */
function sinceOf(period: string, nowMs: number): string | undefined {
  const hours = PERIODS[period];
  if (hours === undefined) return undefined;
  return new Date(Math.floor(nowMs / 60_000) * 60_000 - hours * 3_600_000).toISOString();
}

/** Whose extractions, and since when: what the list and the counts have in common. */
export function scopeOf(filters: LedgerFilters, nowMs: number) {
  const since = sinceOf(filters.period, nowMs);
  return {
    ...(filters.user === '' ? {} : { user_id: filters.user }),
    ...(since === undefined ? {} : { since }),
  };
}

export function toLedgerQuery(filters: LedgerFilters, nowMs: number) {
  const state = EXTRACTION_STATES.find((name) => name === filters.state);
  return {
    ...scopeOf(filters, nowMs),
    ...(state === undefined ? {} : { state }),
    ...(filters.reason === '' ? {} : { reason: filters.reason }),
    ...(filters.error === '' ? {} : { error_class: filters.error }),
    ...(filters.trigger === '' ? {} : { trigger: filters.trigger }),
  };
}
