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
 *
 * @param maxChunks a text of more is cut no further: it is refused when it is stored
 */
export function createCutDocument(
  config: EmbeddingConfig,
  maxChunks: number,
): (content: string) => CutDocument {
  const { maxTokens, tokenizer } = chunkingOf(config);
  let countTokens: TokenCounter | undefined;
  return (content) => {
    countTokens ??=
      tokenizer === 'use-lite' ? withUnknownText(createLocalTokenCounter(), maxTokens) : boundTokens;
    const chunks: CutDocument['chunks'][number][] = [];
    for (const chunk of chunkText(content, { maxTokens, countTokens })) {
      chunks.push({
        content: chunk,
        matchingText: chunkMatchingText(chunk),
        contentHash: sha256(chunk),
      });
      // It is refused when it is stored, so nothing is searched for in it.
      if (chunks.length === maxChunks) return { matchingText: '', contentHash: sha256(content), chunks };
    }
    return { matchingText: matchingText(content), contentHash: sha256(content), chunks };
  };
}

/**
 * The token count, with a minimum per character, so that a chunk of unknown characters has a bounded length. The minimum
 * alone where that is too much for a chunk: counting the tokens of a million characters takes tens of megabytes.
 */
function withUnknownText(countTokens: TokenCounter, maxTokens: number): TokenCounter {
  return (text) => {
    // Each run of white space is one character.
    let characters = -1;
    for (const [word] of text.matchAll(/\S+/g)) {
      characters += word.length + 1;
      if (characters > maxTokens * CHARACTERS_PER_TOKEN) break;
    }
    const least = Math.ceil(Math.max(0, characters) / CHARACTERS_PER_TOKEN);
    return least > maxTokens ? least : Math.max(countTokens(text), least);
  };
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
