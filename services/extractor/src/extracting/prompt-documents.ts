import { type Claim, listWholeDocuments, relevantDocumentChunks, type Sql } from '@factmill/database';
import {
  type KnownDocument,
  type Preset,
  stripInjectedPostfixes,
  type TranscriptMessage,
} from '@factmill/extraction';
import { boundTokens, excerptsOf } from '@factmill/extraction/documents';
import type { Logger } from '@factmill/telemetry';
import { type EmbedTexts, embedOrLater } from '../providers/embed-texts.ts';

/** The documents in the prompt of one extraction. Errors are those of the database, or the reason of the signal. */
export type PromptDocuments = Readonly<{
  /**
   * The documents for the prompt (B14): whole when they fit into the model's context, else the parts most similar to
   * the user's messages; their beginnings when there is no embedding model or it is down.
   */
  shown: (messages: readonly TranscriptMessage[], signal: AbortSignal) => Promise<readonly KnownDocument[]>;
  /** From now on shows few parts: the model has refused the prompt as too long. False when it shows few already. */
  shorten: () => Promise<boolean>;
  /** Whether the prompt has only parts of them. */
  areCut: () => Promise<boolean>;
}>;

/** Tokens for documents that every prompt has room for: about 4,000 characters. */
const MIN_TOKENS = 2_000;
/** For the instructions and the known memories. */
const OTHER_TOKENS = 2_000;
/** A text has at most so many characters per token, else it is not read to be measured. */
const CHARACTERS_PER_TOKEN = 4;
/** Most chunks have more tokens. */
const TOKENS_PER_CHUNK = 50;
/** The latest user messages are compared with the documents, the beginning of each. */
const MAX_PIECES = 4;
const MAX_PIECE_CHARACTERS = 1_000;
const UNTITLED = 'Document';

export type PromptDocumentsDeps = Readonly<{
  database: Sql;
  embedTexts: EmbedTexts | null;
  /** Null for the rules, which have no prompt. */
  prompt: Readonly<{ contextTokens: number; replyTokens: number }> | null;
  logger: Logger;
}>;

/** What an extraction's prompt is made of beside documents. */
export type PromptParts = Readonly<{ hasDocuments: boolean; transcript: string }>;

/** A user without documents costs nothing (the claim says so), nor does a preset that ignores them. */
export function createPromptDocuments(deps: PromptDocumentsDeps) {
  const { database, embedTexts } = deps;

  return function promptDocuments(
    { tenantId, userId, conversationId }: Claim,
    preset: Preset,
    { hasDocuments, transcript }: PromptParts,
  ): PromptDocuments {
    const view = { tenantId, userId, conversationId, project: null };
    const isShown = deps.prompt !== null && preset.showsDocuments && hasDocuments;
    let room = roomOf(deps.prompt, transcript);
    let whole: Promise<readonly KnownDocument[] | null> | undefined;

    /** All documents, or null when they do not fit. */
    async function readWhole(): Promise<readonly KnownDocument[] | null> {
      const maxCharacters = room * CHARACTERS_PER_TOKEN;
      const documents = await listWholeDocuments(database, { ...view, maxCharacters });
      if (documents === null) return null;
      const tokens = documents.reduce((sum, { content }) => sum + boundTokens(content), 0);
      return tokens > room
        ? null
        : documents.map(({ title, content }) => ({ title: title ?? UNTITLED, content: content.trim() }));
    }
    const loadWhole = () => (whole ??= readWhole());

    return {
      async shown(messages, signal) {
        if (!isShown) return [];
        const all = await loadWhole();
        if (all !== null) return all;
        const vectors =
          embedTexts === null
            ? null
            : await embedOrLater(embedTexts, latestOf(messages), signal, deps.logger, {
                payers: [{ tenantId, userId }],
              });
        const chunks = await relevantDocumentChunks(database, {
          ...view,
          near: vectors === null ? null : { model: vectors.model, vectors: [...vectors.byText.values()] },
          limit: Math.ceil(room / TOKENS_PER_CHUNK),
        });
        return excerptsOf(chunks, room).map(({ title, text }) => ({
          title: title ?? UNTITLED,
          content: text,
        }));
      },
      areCut: async () => isShown && (await loadWhole()) === null,
      async shorten() {
        if (!isShown || room === MIN_TOKENS || (await loadWhole())?.length === 0) return false;
        room = MIN_TOKENS;
        whole = Promise.resolve(null);
        return true;
      },
    };
  };
}

/** Tokens that a prompt has for documents. A truncated reply is asked for again with twice its limit. */
function roomOf(prompt: PromptDocumentsDeps['prompt'], transcript: string): number {
  if (prompt === null) return MIN_TOKENS;
  const taken = 2 * prompt.replyTokens + OTHER_TOKENS + boundTokens(transcript);
  return Math.max(MIN_TOKENS, prompt.contextTokens - taken);
}

function latestOf(messages: readonly TranscriptMessage[]): string[] {
  return messages
    .filter((message) => message.role === 'user')
    .map((message) => stripInjectedPostfixes(message.content).trim().slice(0, MAX_PIECE_CHARACTERS))
    .filter((text) => text !== '')
    .slice(-MAX_PIECES);
}
