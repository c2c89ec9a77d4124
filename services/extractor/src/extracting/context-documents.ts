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

/** The documents of one extraction's user. What fails fails as the database does, or with the reason of the signal. */
export type ContextDocuments = Readonly<{
  /**
   * What the prompt shows (B2): documents whole when they are short together, else the parts next to what the user
   * said; their beginnings when there is no embedding model or it is away.
   */
  shown: (messages: readonly TranscriptMessage[], signal: AbortSignal) => Promise<readonly KnownDocument[]>;
  /**
   * The candidates that no document says already (B5): word for word, or in a part that their vectors find as good as
   * equal and that has all of their numbers, dates and names. Without vectors the words decide alone.
   */
  dropCovered: (candidates: readonly Candidate[], vectors: Vectors | null) => Promise<Uncovered>;
}>;

export type Uncovered = Readonly<{ candidates: readonly Candidate[]; rejected: readonly Rejection[] }>;

/** What a prompt shows of documents: about 1,000 tokens. */
const MAX_CHARACTERS = 4_000;
const MAX_CHUNKS = 16;
/** Of what the user said the latest messages are compared with the documents, the beginning of each. */
const MAX_PIECES = 4;
const MAX_PIECE_CHARACTERS = 1_000;
/** What a similarity can lose because vectors are stored in halves. */
const TOLERANCE = 1e-4;

/** A user without documents, of whom the claim says so, costs nothing, nor does a preset that leaves them out. */
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

/** Null for a text whose vector says too little about it. */
function vectorOf(text: string, vectors: Vectors | null): readonly number[] | null {
  return vectors?.reads(text) === true ? (vectors.byText.get(text) ?? null) : null;
}
