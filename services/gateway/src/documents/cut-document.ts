import type { EmbeddingConfig } from '@factmill/config';
import { boundTokens, chunkMatchingText, chunkText, matchingText } from '@factmill/extraction/documents';
import { chunkingOf, createLocalTokenCounter, type TokenCounter } from '@factmill/models/chunking';
import { createHash } from 'node:crypto';

/** A document as stored: its chunks joined are its text. */
export type CutDocument = Readonly<{
  matchingText: string;
  /** Hex, of the unchanged content. */
  contentHash: string;
  chunks: readonly Readonly<{ content: string; matchingText: string | null; contentHash: string }>[];
}>;

/** The longest piece of the vocabulary, in characters. Adjacent unknown characters count as one token. */
const CHARACTERS_PER_TOKEN = 16;

/**
 * Cuts documents for the configured embedding model, and computes their matching texts. A million characters take 0.5
 * to 4 seconds of a processor.
 */
export function createCutDocument(config: EmbeddingConfig): (content: string) => CutDocument {
  const { maxTokens, tokenizer } = chunkingOf(config);
  let countTokens: TokenCounter | undefined;
  return (content) => {
    countTokens ??=
      tokenizer === 'use-lite' ? withUnknownText(createLocalTokenCounter(), maxTokens) : boundTokens;
    return {
      matchingText: matchingText(content),
      contentHash: sha256(content),
      chunks: [...chunkText(content, { maxTokens, countTokens })].map((chunk) => ({
        content: chunk,
        matchingText: chunkMatchingText(chunk),
        contentHash: sha256(chunk),
      })),
    };
  };
}

/**
 * The token count, with a minimum per character, so that a chunk of unknown characters has a bounded length. The minimum
 * alone where that is too much for a chunk: counting the tokens of a million characters takes 40 MB.
 */
function withUnknownText(countTokens: TokenCounter, maxTokens: number): TokenCounter {
  return (text) => {
    const characters = text.replaceAll(/\s+/g, ' ').trim().length;
    const least = Math.ceil(characters / CHARACTERS_PER_TOKEN);
    return least > maxTokens ? least : Math.max(countTokens(text), least);
  };
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
