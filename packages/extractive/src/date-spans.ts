import { addDays } from './date-grain.ts';

/** A while that ends or begins now, and where a text names it. */
export type DateSpan = Readonly<{
  index: number;
  length: number;
  /** Null: a part of something ("the last week of June"). */
  days: Readonly<{ from: Date; until: Date }> | null;
}>;

const COUNTS: ReadonlyMap<string, number> = new Map([
  ...'one two three four five six seven eight nine ten eleven twelve'
    .split(' ')
    .map((word, index) => [word, index + 1] as const),
  ['couple of', 2],
  ['few', 3],
  ['several', 3],
]);
const COUNT = `\\d{1,3}|${[...COUNTS.keys()].join('|')}`;
const DAYS_OF: Readonly<Record<string, number>> = { day: 1, week: 7, weekend: 7, month: 30, year: 365 };

/**
 * "The past year", "the last three nights", "the next few months": with a count, with "the" before it, or "past", it is
 * a while up to now or from now on. Only "last week" and "next week" are those of the calendar.
 */
const SPANS = [
  `\\b(?:the |these |this )?(?<which>past|last|previous|next|coming) (?<count>${COUNT}) (?<unit>day|week|weekend|month|year)s?\\b`,
  '\\bthe (?<which>last|next) (?<unit>week|month|year)\\b(?! of\\b)',
  '(?<!\\bthis )\\b(?:the )?(?<which>past) (?<unit>week|month|year)\\b(?! of\\b)',
  '\\bthis (?<which>past) (?<unit>month|year)\\b',
].map((source) => new RegExp(source, 'gi'));
/** "The last week of June", "my last year at school" are a part of something. */
const PART =
  /\b(?:last|next) (?:day|week|month|year)s? of\b|\b(?:(?:my|our|your|his|her|their) last (?:week|month|year)|(?:my|our|your|his|her|their|the) last day)\b/gi;

/** The whiles of a text that are no days, weeks or years of the calendar. */
export function spansOf(text: string, now: Date): DateSpan[] {
  const parts = Array.from(text.matchAll(PART), ({ index, 0: { length } }) => ({
    index,
    length,
    days: null,
  }));
  const whiles = SPANS.flatMap((span) => Array.from(text.matchAll(span), (match) => whileOf(match, now)));
  return [...parts, ...whiles];
}

function whileOf({ index, 0: { length }, groups = {} }: RegExpExecArray, now: Date): DateSpan {
  const { which = '', unit = '', count = '1' } = groups;
  const days = (COUNTS.get(count.toLowerCase()) ?? Number(count)) * (DAYS_OF[unit.toLowerCase()] ?? 1);
  const isPast = !/^(?:next|coming)$/i.test(which);
  const [from, until] = isPast ? [addDays(now, -days), addDays(now, 1)] : [now, addDays(now, days + 1)];
  return { index, length, days: { from, until } };
}
