import { types, type CustomTypesConfig } from 'pg';

const INT8 = 20;
const NUMERIC = 1700;
const DATE = 1082;

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
    }
    return types.getTypeParser(oid, format);
  }) as CustomTypesConfig['getTypeParser'],
};

/** An int8 as a number, or as a bigint when a number cannot hold it. */
export function parseInt8(text: string): number | bigint {
  const value = Number(text);
  return Number.isSafeInteger(value) ? value : BigInt(text);
}
