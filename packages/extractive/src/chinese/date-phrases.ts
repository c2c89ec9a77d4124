import { numberOf, NUMBER } from './numbers.ts';

/** A date as precise as it was said: the words, and ISO 8601 of the same precision. */
export type ChineseDate = { body: string; date: string | null };
/** On which side of the message the clause speaks. */
export type Tense = 'past' | 'future';

/** Words that stand for a date, and what they mean when the message was written. */
export type DatePhrase = {
  when: RegExp;
  date: (match: RegExpExecArray, now: Date, tense: Tense | null) => ChineseDate | null;
};

const DAY_MS = 86_400_000;
const addDays = (date: Date, days: number): Date => new Date(date.getTime() + days * DAY_MS);
const isoDay = (date: Date): string => date.toISOString().slice(0, 10);
const monday = (date: Date): Date => addDays(date, -((date.getUTCDay() + 6) % 7));

const dayText = (date: Date): string =>
  `${date.getUTCFullYear()}年${date.getUTCMonth() + 1}月${date.getUTCDate()}日`;
const onDay = (date: Date): ChineseDate => ({ body: dayText(date), date: isoDay(date) });
const aroundDay = (date: Date): ChineseDate => ({ body: `${dayText(date)}前后`, date: isoDay(date) });
const inYear = (year: number): ChineseDate => ({ body: `${year}年`, date: String(year) });
const inMonth = (year: number, month: number): ChineseDate => {
  const first = new Date(Date.UTC(year, month, 1));
  return {
    body: `${first.getUTCFullYear()}年${first.getUTCMonth() + 1}月`,
    date: isoDay(first).slice(0, 7),
  };
};
const inWeek = (date: Date): ChineseDate => ({
  body: `${dayText(monday(date))}那一周`,
  date: isoDay(monday(date)),
});
const onWeekend = (date: Date): ChineseDate => {
  const saturday = addDays(monday(date), 5);
  return { body: `${dayText(saturday)}那个周末`, date: isoDay(saturday) };
};
/** Null for a day that its month does not have. */
const dayOf = (year: number, month: number, day: number): ChineseDate | null => {
  const date = new Date(Date.UTC(year, month, day));
  const isDay = day > 0 && date.getUTCDate() === day;
  return isDay ? onDay(date) : null;
};

const DAYS: ReadonlyMap<string, number> = new Map([
  ['大前', -3], ['前', -2], ['昨', -1], ['今', 0], ['明', 1], ['后', 2], ['大后', 3],
]); // prettier-ignore
const YEARS: ReadonlyMap<string, number> = new Map([
  ['前', -2], ['去', -1], ['今', 0], ['明', 1], ['后', 2],
]); // prettier-ignore
/** Steps of `上`, `这` and `下`. */
function stepOf(word: string): number {
  if (word.startsWith('上')) return -word.length;
  return word.startsWith('下') ? word.length : 0;
}
const weekdayOf = (text: string): number => (/[日天末]/.test(text) ? 7 : numberOf(text));

function onWeekday(weekday: number, step: number | null, now: Date, tense: Tense | null): ChineseDate {
  const thisWeek = addDays(monday(now), weekday - 1);
  if (step !== null) return onDay(addDays(thisWeek, step * 7));
  const isPast = isoDay(thisWeek) < isoDay(now);
  if (tense === 'past') return onDay(isoDay(thisWeek) > isoDay(now) ? addDays(thisWeek, -7) : thisWeek);
  return onDay(isPast ? addDays(thisWeek, 7) : thisWeek);
}

const HALF_A_YEAR = 6;

/** The year of a month (from 0) that was named without one: without a tense, the nearest. */
function yearOf(month: number, now: Date, tense: Tense | null): number {
  const year = now.getUTCFullYear();
  const ahead = month - now.getUTCMonth();
  if (tense === 'past') return ahead > 0 ? year - 1 : year;
  if (tense === 'future') return ahead < 0 ? year + 1 : year;
  return ahead > HALF_A_YEAR ? year - 1 : ahead < -HALF_A_YEAR ? year + 1 : year;
}

const WEEK = '(?:个)?(?:周(?![边围年])|星期|礼拜)';
const MONTH_AND_DAY = `(?<month>${NUMBER})月(?:份)?(?:(?<day>${NUMBER})[日号])?`;

function ofMonth(year: number, groups: Readonly<Record<string, string | undefined>>): ChineseDate | null {
  const month = numberOf(groups['month'] ?? '') - 1;
  if (month < 0 || month > 11) return null;
  return groups['day'] === undefined ? inMonth(year, month) : dayOf(year, month, numberOf(groups['day']));
}

function ago(match: RegExpExecArray, now: Date, tense: Tense | null): ChineseDate | null {
  const { count = '', unit = '', side = '' } = match.groups ?? {};
  // "住了十年后回国了": after what was, not from now on.
  if (side.endsWith('后') && tense === 'past') return null;
  const isHalf = count === '半';
  const sign = side.endsWith('前') ? -1 : 1;
  const many = sign * (isHalf ? 1 : numberOf(count));
  if (unit === '天') return onDay(addDays(now, many));
  if (unit === '年' && !isHalf) return inYear(now.getUTCFullYear() + many);
  if (unit === '年' || unit === '月') {
    return inMonth(now.getUTCFullYear(), now.getUTCMonth() + (unit === '年' ? many * 6 : many));
  }
  return aroundDay(addDays(now, many * 7));
}

/** In order of precedence; each reads the beginning of a text. */
export const DATE_PHRASES: readonly DatePhrase[] = [
  {
    when: /^(?<year>(?:19|20)\d\d)年(?!代|级)(?:(?<month>\d{1,2})月(?:份)?(?:(?<day>\d{1,2})[日号])?)?/,
    date: ({ groups = {} }) =>
      groups['month'] === undefined
        ? inYear(Number(groups['year']))
        : ofMonth(Number(groups['year']), groups),
  },
  {
    when: /^(?<day>大前|大后|[昨今明])(?:天|日(?!本))|^(?<other>[前后])天(?!性|生)/,
    date: ({ groups = {} }, now) =>
      onDay(addDays(now, DAYS.get(groups['day'] ?? groups['other'] ?? '') ?? 0)),
  },
  {
    when: /^(?<day>[昨今明])(?<part>[晚早])(?!点|期)(?:上)?/,
    date: ({ groups = {} }, now) => {
      const { body, date } = onDay(addDays(now, DAYS.get(groups['day'] ?? '') ?? 0));
      return { body: `${body}${groups['part'] ?? ''}上`, date };
    },
  },
  {
    when: new RegExp(`^(?<year>[前去今明后])年(?!.{0,4}岁)(?:的)?(?:${MONTH_AND_DAY})?`),
    date: ({ groups = {} }, now) => {
      const year = now.getUTCFullYear() + (YEARS.get(groups['year'] ?? '') ?? 0);
      return groups['month'] === undefined ? inYear(year) : ofMonth(year, groups);
    },
  },
  {
    when: new RegExp(`^(?<which>上{1,2}|这|本|下{1,2})(?:个)?月(?!经|亮|饼)(?:(?<day>${NUMBER})[日号])?`),
    date: ({ groups = {} }, now) => {
      const first = new Date(
        Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + stepOf(groups['which'] ?? ''), 1),
      );
      const [year, month] = [first.getUTCFullYear(), first.getUTCMonth()];
      return groups['day'] === undefined ? inMonth(year, month) : dayOf(year, month, numberOf(groups['day']));
    },
  },
  {
    when: new RegExp(`^(?<which>上{1,2}|这|本|下{1,2})${WEEK}(?<weekday>[一二三四五六日天末])?`),
    date: ({ groups = {} }, now, tense) => {
      const step = stepOf(groups['which'] ?? '');
      const { weekday } = groups;
      if (weekday === undefined) return inWeek(addDays(now, step * 7));
      if (weekday === '末') return onWeekend(addDays(now, step * 7));
      return onWeekday(weekdayOf(weekday), step, now, tense);
    },
  },
  {
    when: /^(?:周|星期|礼拜)(?<weekday>[一二三四五六日天])(?!到|至|都)/,
    date: ({ groups = {} }, now, tense) => onWeekday(weekdayOf(groups['weekday'] ?? ''), null, now, tense),
  },
  {
    when: new RegExp(
      `^(?<count>${NUMBER}|半)(?:个)?(?:多)?(?<unit>天|周|星期|礼拜|月|年)(?<side>以前|之前|前|以后|之后|后)(?!期)`,
    ),
    date: ago,
  },
  {
    when: new RegExp(`^${MONTH_AND_DAY}`),
    date: ({ groups = {} }, now, tense) =>
      ofMonth(yearOf(numberOf(groups['month'] ?? '') - 1, now, tense), groups),
  },
  {
    when: /^(?:前[几些两]天|几天前)/,
    date: (_match, now) => ({ body: `${dayText(now)}前几天`, date: null }),
  },
  {
    when: /^(?:最近(?!的|几|一|两)|近来|近期|这阵子|这段时间|这几天|这两天)/,
    date: (_match, now) => aroundDay(now),
  },
];
