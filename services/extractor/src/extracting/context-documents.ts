import { type Claim, findInDocuments, relevantDocumentChunks, type Sql } from '@factmill/database';
import {
  addsNoWords,
  type Candidate,
  type KnownDocument,
  type Preset,
  type Rejection,
  stripInjectedPostfixes,
  type TranscriptMessage,
} from '@factmill/extraction';
import { excerptsOf, matchingText, statementMatchingText } from '@factmill/extraction/documents';
import type { Logger } from '@factmill/telemetry';
import { type EmbedTexts, embedOrLater, type Vectors } from '../providers/embed-texts.ts';

/** The documents for one extraction. Errors are those of the database, or the reason of the signal. */
export type ContextDocuments = Readonly<{
  /**
   * The documents for the prompt (B2): whole when they are short in total, else the parts most similar to the user's
   * messages; their beginnings when there is no embedding model or it is down.
   */
  shown: (messages: readonly TranscriptMessage[], signal: AbortSignal) => Promise<readonly KnownDocument[]>;
  /**
   * The candidates that no document states already (B5): neither word for word, nor in a part that is nearly equal by
   * vector and has all of their numbers, dates and names. Without vectors only words count.
   */
  dropCovered: (candidates: readonly Candidate[], vectors: Vectors | null) => Promise<Uncovered>;
}>;

export type Uncovered = Readonly<{ candidates: readonly Candidate[]; rejected: readonly Rejection[] }>;

/** Limit of document text in a prompt: about 1,000 tokens. */
const MAX_CHARACTERS = 4_000;
const MAX_CHUNKS = 16;
/** The latest user messages are compared with the documents, the beginning of each. */
const MAX_PIECES = 4;
const MAX_PIECE_CHARACTERS = 1_000;
/** Vectors are stored as halfvec, which can lower a similarity by this much. */
const TOLERANCE = 1e-4;

/** A user without documents costs nothing (the claim says so), nor does a preset that ignores them. */
export function createContextDocuments(deps: {
  database: Sql;
  embedTexts: EmbedTexts | null;
  /** False for the rules, which have no prompt. */
  isPrompted: boolean;
  logger: Logger;
}) {
  return function contextDocuments(claim: Claim, preset: Preset, hasDocuments: boolean): ContextDocuments {
    const { tenantId, userId, conversationId } = claim;

    async function shown(
      messages: readonly TranscriptMessage[],
      signal: AbortSignal,
    ): Promise<KnownDocument[]> {
      if (!deps.isPrompted || !preset.showsDocuments || !hasDocuments) return [];
      const { embedTexts } = deps;
      const vectors =
        embedTexts === null ? null : await embedOrLater(embedTexts, latestOf(messages), signal, deps.logger);
      const chunks = await relevantDocumentChunks(deps.database, {
        tenantId,
        userId,
        conversationId,
        project: null,
        near: vectors === null ? null : { model: vectors.model, vectors: [...vectors.byText.values()] },
        limit: MAX_CHUNKS,
        maxCharacters: MAX_CHARACTERS,
      });
      return excerptsOf(chunks, MAX_CHARACTERS).map(({ title, text }) => ({
        title: title ?? 'Document',
        content: text,
      }));
    }

    async function dropCovered(
      candidates: readonly Candidate[],
      vectors: Vectors | null,
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
    }

    return { shown, dropCovered };
  };
}

function latestOf(messages: readonly TranscriptMessage[]): string[] {
  return messages
    .filter((message) => message.role === 'user')
    .map((message) => stripInjectedPostfixes(message.content).trim().slice(0, MAX_PIECE_CHARACTERS))
    .filter((text) => text !== '')
    .slice(-MAX_PIECES);
}

/** Null for a text that the model cannot read completely. */
function vectorOf(text: string, vectors: Vectors | null): readonly number[] | null {
  return vectors?.reads(text) === true ? (vectors.byText.get(text) ?? null) : null;
}
