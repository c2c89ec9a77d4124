import { types, type CustomTypesConfig } from 'pg';

const INT8 = 20;
const NUMERIC = 1700;
const DATE = 1082;
const TIMESTAMPTZ = 1184;
const INT4_ARRAY = 1007;
const FLOAT8_ARRAY: number = 1022;

/**
 * How columns become values, per pool (pg's own table is global and stays untouched): int8 → number, or bigint
 * beyond 2^53; numeric → number (we store no money, only averages and shares); timestamptz → Date; date → the
 * text `YYYY-MM-DD`, because a Date would shift it by the process's time zone; json → parsed.
 */
export const columnTypes: CustomTypesConfig = {
  getTypeParser: ((oid: number, format?: 'text' | 'binary') => {
    if (format !== 'binary') {
      if (oid === INT8) return parseInt8;
      if (oid === NUMERIC) return Number;
      if (oid === DATE) return String;
      if (oid === TIMESTAMPTZ) return parseTimestamptz;
      if (oid === INT4_ARRAY || oid === FLOAT8_ARRAY) return parseNumbers;
    }
    return types.getTypeParser(oid, format);
  }) as CustomTypesConfig['getTypeParser'],
};

/** An int8 as a number, or as a bigint when a number cannot hold it. */
export function parseInt8(text: string): number | bigint {
  const value = Number(text);
  return Number.isSafeInteger(value) ? value : BigInt(text);
}

const parseAnyTimestamptz = types.getTypeParser(TIMESTAMPTZ, 'text') as (text: string) => Date | number;
/** As a session in UTC writes the years 1000 to 9999 of our era. */
const UTC = /^[1-9]\d{3}-.{14,21}\+00$/;

/**
 * A timestamptz as a Date, `infinity` as a number. V8 reads the usual form in half of the time that pg's own parser
 * takes: a search reads hundreds.
 */
export function parseTimestamptz(text: string): Date | number {
  return UTC.test(text) ? new Date(text) : parseAnyTimestamptz(text);
}

/** Nothing but numbers of one dimension. */
const NUMBERS = /^\{[-+.,e\d]*\}$/;
const parseAnyNumbers = types.getTypeParser(FLOAT8_ARRAY, 'text') as (text: string) => (number | null)[];

/** An array of integers or floats; null and NaN are rare, so that pg's own parser, which goes by character, is for them. */
export function parseNumbers(text: string): (number | null)[] {
  return NUMBERS.test(text) ? (JSON.parse(`[${text.slice(1, -1)}]`) as number[]) : parseAnyNumbers(text);
}
