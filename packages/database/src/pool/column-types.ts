import { types, type CustomTypesConfig } from 'pg';

const INT8 = 20;
const NUMERIC = 1700;
const DATE = 1082;
const TIMESTAMPTZ = 1184;
const INT4_ARRAY = 1007;
const FLOAT8_ARRAY: number = 1022;

/**
 * How columns become values, per pool (pg's own global table stays unchanged): int8 → number, or bigint beyond 2^53;
 * numeric → number (no money is stored, only averages and shares); timestamptz → Date; date → the text `YYYY-MM-DD`,
 * because a Date would shift it by the process's time zone; json → parsed.
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

/** An int8 as a number, or as a bigint when a number cannot represent it. */
export function parseInt8(text: string): number | bigint {
  const value = Number(text);
  return Number.isSafeInteger(value) ? value : BigInt(text);
}

const parseAnyTimestamptz = types.getTypeParser(TIMESTAMPTZ, 'text') as (text: string) => Date | number;
/** The form in which a UTC session writes the years 1000 to 9999 AD. */
const UTC = /^[1-9]\d{3}-.{14,21}\+00$/;

/**
 * A timestamptz as a Date, `infinity` as a number. V8 parses the usual form in half the time of pg's own parser; a
 * search reads hundreds.
 */
export function parseTimestamptz(text: string): Date | number {
  return UTC.test(text) ? new Date(text) : parseAnyTimestamptz(text);
}

/** Only numbers, in one dimension. */
const NUMBERS = /^\{[-+.,e\d]*\}$/;
const parseAnyNumbers = types.getTypeParser(FLOAT8_ARRAY, 'text') as (text: string) => (number | null)[];

/**
 * An array of integers or floats. Arrays with null or NaN are rare and go to pg's own parser, which reads character
 * by character.
 */
export function parseNumbers(text: string): (number | null)[] {
  return NUMBERS.test(text) ? (JSON.parse(`[${text.slice(1, -1)}]`) as number[]) : parseAnyNumbers(text);
}
