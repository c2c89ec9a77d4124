import { fromSql, toSql } from 'pgvector';

/** A vector in Postgres's text form, for statements in tests and by hand. The others send `toHalfvec`. */
export function toVectorText(vector: readonly number[]): string {
  return toSql([...vector]) as string;
}

/** The numbers of a vector in Postgres's text form. */
export function parseVectorText(text: string): number[] {
  return fromSql(text) as number[];
}
