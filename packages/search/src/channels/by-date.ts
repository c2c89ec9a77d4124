import { candidateColumns, type CandidateRow, type Sql } from '@factmill/database';
import { type AskedPeriod, dateFit, dateTerms } from '@factmill/ranking';
import { memoriesOf, type MemorySource, memoriesWithKeys, type SearchTarget } from '../target.ts';
import type { Channel } from './channel.ts';

/** Memories with the words of a date that are read to see whether it is one that is meant, the latest first. */
const MAX_READ = 200;
/** Of a period that names no year, so many years back from the one that is nearest, and one ahead. */
const YEARS_BACK = 9;
const FULL_TEXT_TERMS = 30;

/** Memories of the periods that the query names. Of all users nothing is found by a date alone. */
export const dateChannel: Channel = async ({ database, target, periods, limit }) => {
  if (periods.length === 0 || target.userId === null) return null;
  const rows = await searchByDate(database, { ...target, periods, limit });
  return rows.map((row) => ({ row, value: dateFit(periods, row) }));
};

/**
 * The user's visible memories that hold since a day of the periods (memories_valid_idx) or name one in their text
 * (memories_words_idx), those that fit best first, then the newest. Of texts with the name of the month, the latest
 * 200 are read.
 */
export async function searchByDate(
  sql: Sql,
  search: SearchTarget & Readonly<{ periods: readonly AskedPeriod[]; limit: number }>,
): Promise<CandidateRow[]> {
  const { tenantId, userId, periods, limit } = search;
  const source = memoriesOf(search, 7, { anyUser: true });
  const stretches = periods.flatMap(inYears);
  const terms = [...new Set(periods.flatMap(dateTerms))].slice(0, FULL_TEXT_TERMS);
  const { rows } = await sql.query<CandidateRow>(
    `with stretches as materialized (
       select * from unnest($3::timestamptz[], $4::timestamptz[]) as s (starts, ends)
     ), queries as materialized (
       select search_query(term) as query from unnest($5::text[]) as term
     ), found as materialized (
       select m.id from stretches s cross join lateral (
         select m.id from ${source.relation} as m
         where ${source.where('m')} and m.valid_from >= s.starts and m.valid_from < s.ends
         order by m.valid_from desc limit $6::integer) as m
       union
       select m.id from (
         select m.id from ${withWords(search, source)} as m
         where ${source.where('m')} and exists (
           select from queries where m.search_terms @@ query)
         order by m.stated_at desc, m.id desc limit ${MAX_READ}) as m
     )
     select ${candidateColumns('m')} from found cross join lateral ${source.byId('found.id')} as m
     order by m.valid_from desc, m.id`,
    [
      tenantId,
      userId,
      stretches.map(({ from }) => from),
      stretches.map(({ until }) => until),
      terms,
      limit,
      ...source.values,
    ],
    { name: `search_date${source.variant}` },
  );
  return rows
    .map((row) => ({ row, fit: dateFit(periods, row) }))
    .filter(({ fit }) => fit > 0)
    .sort((a, b) => b.fit - a.fit)
    .slice(0, limit)
    .map(({ row }) => row);
}

function inYears({ from, until, anyYear }: AskedPeriod): { from: Date; until: Date }[] {
  if (!anyYear) return [{ from, until }];
  const shifted = (date: Date, years: number) =>
    new Date(Date.UTC(date.getUTCFullYear() + years, date.getUTCMonth(), date.getUTCDate()));
  return Array.from({ length: YEARS_BACK + 2 }, (_, at) => ({
    from: shifted(from, 1 - at),
    until: shifted(until, 1 - at),
  }));
}

function withWords({ asOf }: SearchTarget, source: MemorySource): string {
  if (asOf !== undefined) return source.relation;
  return memoriesWithKeys(
    source,
    `array(select distinct search_key($1::uuid, $2::text, word)
      from unnest($5::text[]) as term cross join unnest(tsvector_to_array(search_words(term))) as word)`,
  );
}
