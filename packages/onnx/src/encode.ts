import type { Tokenizer } from '@huggingface/tokenizers';

/** Tokens of one input, special ones included. */
export type Encoded = Readonly<{ ids: readonly number[]; typeIds: readonly number[] }>;

export type Encoder = Readonly<{
  encode: (text: string) => Encoded;
  /** A query and a document in one input. */
  encodePair: (query: string, document: string) => Encoded;
}>;

/** Characters that are read of a text for each token of the limit. A token of ordinary text has three to six. */
const CHARACTERS_PER_TOKEN = 16;

/**
 * Tokenizes within a limit. A text that is too long loses its end, as in the libraries these models were trained
 * with. In a pair, the query keeps at most half of the limit.
 */
export function createEncoder(tokenizer: Tokenizer, maxTokens: number): Encoder {
  const specials = tokenizer.encode('').ids.length;
  const pairSpecials = Math.max(
    specials,
    tokenizer.encode('a', { text_pair: 'a' }).ids.length - 2 * count('a'),
  );

  function count(text: string): number {
    return tokenizer.encode(text, { add_special_tokens: false }).ids.length;
  }

  /** The beginning of a text that has at most `limit` tokens. */
  function cut(text: string, limit: number): string {
    let kept = text.slice(0, limit * CHARACTERS_PER_TOKEN);
    for (let tokens = count(kept); tokens > limit && kept !== ''; tokens = count(kept)) {
      // At least one character shorter each time.
      kept = kept.slice(0, Math.min(kept.length - 1, Math.floor((kept.length * limit) / tokens)));
    }
    // Half of a character is no character.
    return kept.toWellFormed();
  }

  function toEncoded({
    ids,
    token_type_ids: typeIds,
  }: {
    ids: number[];
    token_type_ids?: number[];
  }): Encoded {
    return { ids, typeIds: typeIds ?? ids.map(() => 0) };
  }

  return {
    encode: (text) =>
      toEncoded(tokenizer.encode(cut(text, maxTokens - specials), { return_token_type_ids: true })),
    encodePair: (query, document) => {
      const room = maxTokens - pairSpecials;
      const asked = cut(query, Math.floor(room / 2));
      const read = cut(document, room - count(asked));
      return toEncoded(tokenizer.encode(asked, { text_pair: read, return_token_type_ids: true }));
    },
  };
}
