import { COUNT, countOf } from './counts.ts';
import { addDays } from './date-grain.ts';

/** A stretch of time that ends or begins now, and where a text names it. */
export type DateSpan = Readonly<{
  index: number;
  length: number;
  /** Null: a part of something ("the last week of June"). */
  days: Readonly<{ from: Date; until: Date }> | null;
}>;

const DAYS_OF: Readonly<Record<string, number>> = {
  day: 1,
  night: 1,
  week: 7,
  weekend: 7,
  month: 30,
  year: 365,
};

/**
 * "The past year", "the last three nights", "the next few months": a stretch of time up to now, or from now on. Only
 * "last week" and "next week", without "the" and a number, are weeks of the calendar.
 */
const SPANS = [
  `\\b(?:the |these |this )?(?<which>past|last|previous|next|coming) (?<count>${COUNT}) (?<unit>day|night|week|weekend|month|year)s?\\b`,
  '\\bthe (?<which>last|next) (?<unit>week|month|year)\\b(?! of\\b)',
  '(?<!\\bthis )\\b(?:the )?(?<which>past) (?<unit>week|month|year)\\b(?! of\\b)',
  '\\bthis (?<which>past) (?<unit>month|year)\\b',
].map((source) => new RegExp(source, 'gi'));
/** "The last week of June", "my last year at school" are a part of something. */
const PART =
  /\b(?:last|next) (?:day|week|month|year)s? of\b|\b(?:(?:my|our|your|his|her|their) last (?:week|month|year)|(?:my|our|your|his|her|their|the) last day)\b/gi;

/** The stretches of time of a text that are no days, weeks or years of the calendar. */
export function spansOf(text: string, now: Date): DateSpan[] {
  const parts = Array.from(text.matchAll(PART), ({ index, 0: { length } }) => ({
    index,
    length,
    days: null,
  }));
  const spans = SPANS.flatMap((span) => Array.from(text.matchAll(span), (match) => spanOf(match, now)));
  return [...parts, ...spans];
}

function spanOf({ index, 0: { length }, groups = {} }: RegExpExecArray, now: Date): DateSpan {
  const { which = '', unit = '', count = '1' } = groups;
  const days = countOf(count) * (DAYS_OF[unit.toLowerCase()] ?? 1);
  const isPast = !/^(?:next|coming)$/i.test(which);
  const [from, until] = isPast ? [addDays(now, -days), addDays(now, 1)] : [now, addDays(now, days + 1)];
  return { index, length, days: { from, until } };
}
