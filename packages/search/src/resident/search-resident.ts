import type { Sql } from '@factmill/database';
import { K, MIN_CODE_BITS, type VectorRow } from '../channels/nearest.ts';
import { facetsAsked } from '../target.ts';
import { findPassing, leaveOutLater } from './facets.ts';
import type { FindLexemes } from './lexemes.ts';
import { MAX_DELTA } from './load-user-index.ts';
import { planText, toFullTextHits, withVocabulary } from './plan-text.ts';
import { bySimilarity, readNearest, type VectorPlan } from './read-nearest.ts';
import {
  type AboutUser,
  NOT_RESIDENT,
  type ResidentHit,
  type ResidentHits,
  type ResidentSearch,
} from './resident-search.ts';
import { toStatement } from './resident-statement.ts';
import { shortlistByEstimate } from './shortlist.ts';
import { idsOf, type UserIndex } from './user-index.ts';

/** Memories on the shortlist of bit codes, at least, and for each result. */
const MIN_SHORTLIST = 100;
const SHORTLIST_PER_RESULT = 2;
/** At most, where so few results are wanted: on embedded storage a statement holds up all others. */
const MAX_SHORTLIST = 250;

/** A hit, or none where nothing was found; in one row also what was written since the watermark. */
type Row = (ResidentHit | { id: null }) & (AboutUser | { delta: null });

/**
 * Searches an index: a shortlist by bit codes and one by BM25, of the memories that pass the filters, then one statement
 * that reads both, with the exact distance, and beside them the delta: what was written since the watermark, and
 * memories that did not hold yet. It counts with the document frequencies of the index. A memory of the delta is not
 * taken from the index.
 *
 * @returns `outdated` when too much was written, or too many of the best are gone
 */
export async function searchResident(
  sql: Sql,
  index: UserIndex,
  search: ResidentSearch,
  findLexemes: FindLexemes,
): Promise<ResidentHits | 'outdated'> {
  const { target } = search;
  const passing = leaveOutLater(index, findPassing(index, facetsAsked(target)), target.begunBy);
  const vector = planVector(index, search, passing);
  const text = await planText(sql, index, search, passing, findLexemes);
  if (vector === null && text === null) return NOT_RESIDENT;
  const statement = toStatement(index, target, { vector, text });
  const { rows } = await sql.query<Row>(statement.text, statement.values, { name: statement.name });
  const first = rows.find((row): row is Row & AboutUser => row.delta !== null);
  if (first === undefined || first.delta > MAX_DELTA) return 'outdated';
  const hits = rows.filter((row): row is Row & ResidentHit => row.id !== null);
  const byVector = vector === null ? null : await readNearest(sql, index, vector, toVectorRows(hits));
  const { hasTurns } = first;
  if (text === null) return { ...NOT_RESIDENT, vector: byVector, hasTurns };
  const byText = hits.filter(({ similarity }) => similarity === null);
  const projects = first.projects ?? [];
  const own = toFullTextHits(index, text.own, byText, projects);
  if (own === 'outdated') return 'outdated';
  const related = text.related === null ? null : toFullTextHits(index, text.related, byText, projects);
  return {
    vector: byVector,
    text: withVocabulary(own, index, passing, text, first),
    related: related === 'outdated' ? null : related,
    hasTurns,
  };
}

function planVector(
  index: UserIndex,
  { vector }: ResidentSearch,
  passing: Uint8Array | null,
): VectorPlan | null {
  if (vector === null || vector.model !== index.model || vector.dimensions < MIN_CODE_BITS) return null;
  const { limit, minSimilarity } = vector;
  const min = Math.max(MIN_SHORTLIST, SHORTLIST_PER_RESULT * limit);
  const max = Math.max(MAX_SHORTLIST, min);
  const rowAt = (place: number) => index.rowOfCode[place] ?? 0;
  const shortlist = shortlistByEstimate(
    index.codes,
    vector.vector,
    { k: Math.min(K, limit), minSimilarity, min, max },
    (place) => passing?.[rowAt(place)] !== 0,
  );
  return { ...vector, shortlist, ids: idsOf(index, shortlist.places.map(rowAt)) };
}

function toVectorRows(hits: readonly ResidentHit[]): VectorRow[] {
  return hits
    .flatMap((hit) => (hit.similarity === null ? [] : [{ ...hit, similarity: hit.similarity }]))
    .sort(bySimilarity);
}
