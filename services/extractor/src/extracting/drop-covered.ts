import { type Claim, findInDocuments, type Sql } from '@factmill/database';
import { addsNoWords, type Candidate, type Preset, type Rejection } from '@factmill/extraction';
import { matchingText, statementMatchingText } from '@factmill/extraction/documents';
import type { Vectors } from '../providers/embed-texts.ts';

export type Covering = Readonly<{
  candidates: readonly Candidate[];
  vectors: Vectors | null;
  hasDocuments: boolean;
}>;

export type Uncovered = Readonly<{ candidates: readonly Candidate[]; rejected: readonly Rejection[] }>;

/** Vectors are stored as halfvec, which can lower a similarity by this much. */
const TOLERANCE = 1e-4;

/**
 * The candidates that no document states already (B5): neither word for word, nor in a part that is nearly equal by
 * vector and has all of their numbers, dates and names. Without vectors only words count. A user without documents
 * costs nothing (the claim says so), nor does a preset that ignores them.
 *
 * @throws AppError `database_unavailable`
 */
export function createDropCovered(deps: Readonly<{ database: Sql }>) {
  return async function dropCovered(
    { tenantId, userId }: Claim,
    preset: Preset,
    { candidates, vectors, hasDocuments }: Covering,
  ): Promise<Uncovered> {
    if (!preset.dedupByDocuments || candidates.length === 0 || !hasDocuments) {
      return { candidates, rejected: [] };
    }
    const found = await findInDocuments(deps.database, {
      tenantId,
      userId,
      sought: candidates.map((candidate) => ({
        category: candidate.category,
        key: candidate.key,
        statement: statementMatchingText(candidate),
        matchingText: matchingText(candidate.content),
        vector: vectorOf(candidate.content, vectors),
      })),
      model: vectors?.model ?? null,
      minSimilarity: vectors === null ? 1 : vectors.duplicateSimilarity - TOLERANCE,
    });
    const said = new Set(
      found
        .filter(
          ({ place, similarTo }) =>
            similarTo === null || addsNoWords(candidates[place]?.content ?? '', similarTo),
        )
        .map(({ place }) => place),
    );
    if (said.size === 0) return { candidates, rejected: [] };
    return {
      candidates: candidates.filter((_, place) => !said.has(place)),
      rejected: [{ reason: 'in_document', count: said.size }],
    };
  };
}

/** Null for a text that the model cannot read completely. */
function vectorOf(text: string, vectors: Vectors | null): readonly number[] | null {
  return vectors?.reads(text) === true ? (vectors.byText.get(text) ?? null) : null;
}
