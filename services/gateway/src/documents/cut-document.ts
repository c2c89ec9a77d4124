import type { EmbeddingConfig } from '@factmill/config';
import { boundTokens, chunkText } from '@factmill/extraction';
import { chunkingOf, createLocalTokenCounter, type TokenCounter } from '@factmill/models';
import { setImmediate as nextTurn } from 'node:timers/promises';

export type CutDocument = Readonly<{
  /** Says how it cuts: texts cut under the same name are cut alike. */
  chunking: string;
  /** The chunks of a text; put together they are the text. */
  cut: (text: string) => Promise<string[]>;
}>;

/** Cutting a million characters takes a tenth of a second, in bad cases some; others get their turn in between. */
const TURN_MS = 20;

/** Most characters that one piece of a vocabulary stands for. What it does not know, it takes together as one. */
const CHARACTERS_PER_TOKEN = 16;

/** Cuts documents as the configured embedding model wants them. */
export function createCutDocument(config: EmbeddingConfig): CutDocument {
  const { id, maxTokens, tokenizer } = chunkingOf(config);
  let countTokens: TokenCounter | undefined;
  return {
    chunking: id,
    cut: async (text) => {
      countTokens ??= tokenizer === 'use-lite' ? withUnknownText(createLocalTokenCounter()) : boundTokens;
      const chunks: string[] = [];
      let turnEndsAt = performance.now() + TURN_MS;
      for (const chunk of chunkText(text, { maxTokens, countTokens })) {
        chunks.push(chunk);
        if (performance.now() < turnEndsAt) continue;
        await nextTurn();
        turnEndsAt = performance.now() + TURN_MS;
      }
      return chunks;
    },
  };
}

/** The tokens, but never so few that a chunk of unknown characters could be of any length. */
function withUnknownText(countTokens: TokenCounter): TokenCounter {
  return (text) => {
    const characters = text.replaceAll(/\s+/g, ' ').trim().length;
    return Math.max(countTokens(text), Math.ceil(characters / CHARACTERS_PER_TOKEN));
  };
}
