import type { Sql } from '@factmill/database';
import { MAX_COUNTED_TERMS, MAX_QUERY_TERMS, queryTerms } from '@factmill/ranking';
import type { SearchTarget } from './target.ts';

/** Words in more memories and turns than this count as equally common. */
const MAX_FREQUENCY = 400;

/**
 * The terms of a query that say most: all of a short one, and of a longer one those that the fewest memories and turns
 * have, in the order of the query. What nothing has comes last, and function words not at all.
 */
export async function rarestTerms(
  sql: Sql,
  { tenantId, userId }: Pick<SearchTarget, 'tenantId' | 'userId'>,
  query: string,
): Promise<string[]> {
  const terms = queryTerms(query, MAX_COUNTED_TERMS);
  if (terms.length <= MAX_QUERY_TERMS) return terms;
  const { rows } = await sql.query<{ place: number; frequency: number }>(
    `select (t.n - 1)::integer as place,
       frequency_of_keys($1::uuid, t.keys, ${MAX_FREQUENCY})::integer as frequency
     from (
       select n, array(
         select search_key($1::uuid, $2::text, word)
         from unnest(tsvector_to_array(search_words(term))) as word) as keys
       from unnest($3::text[]) with ordinality as given (term, n) offset 0
     ) as t where cardinality(t.keys) > 0`,
    [tenantId, userId, terms],
    { name: 'rarest_terms' },
  );
  const rank = (frequency: number) => (frequency === 0 ? Infinity : frequency);
  const chosen = rows
    .toSorted((a, b) => rank(a.frequency) - rank(b.frequency) || a.place - b.place)
    .slice(0, MAX_QUERY_TERMS)
    .map(({ place }) => terms[place]);
  const kept = new Set(chosen);
  return terms.filter((term) => kept.has(term));
}
