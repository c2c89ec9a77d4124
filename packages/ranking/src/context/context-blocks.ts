import type { ContextPlace } from '@factmill/contracts';
import { buildContext, type ContextBlock, type ContextInput } from './context-block.ts';

export type ContextBlocksInput = ContextInput &
  Readonly<{
    /** Where what is found goes. */
    place: ContextPlace;
    /** `system`: the profile goes into a system message of its own. `beside`: it is at the head of what is found. */
    profilePlace: 'system' | 'beside';
  }>;

export type ContextBlocks = Readonly<{
  /** What goes into the chat; empty when there is nothing to say. */
  blocks: readonly Readonly<{ place: ContextPlace; text: string }>[];
  tokens: number;
  /** Indexes into `memories` of those that are in the blocks. */
  used: readonly number[];
}>;

/** What goes into a chat, each text with its place (C20). The budget is that of all texts together. */
export function buildContextBlocks(input: ContextBlocksInput): ContextBlocks {
  const { place, profilePlace, tokenBudget } = input;
  if (profilePlace === 'beside') {
    const found = buildContext(input);
    return { ...found, blocks: placed(found, place, input.query) };
  }
  const profile = buildContext({ ...input, format: 'profile' });
  const left = tokenBudget === null ? null : Math.max(0, tokenBudget - profile.tokens);
  const found = buildContext({ ...input, profile: [], tokenBudget: left });
  const blocks = [...placed(profile, 'system', input.query), ...placed(found, place, input.query)];
  return { blocks, tokens: profile.tokens + found.tokens, used: found.used };
}

/** Without anything to say, `augmented` is the message alone. */
function placed({ text }: ContextBlock, place: ContextPlace, query: string): ContextBlocks['blocks'] {
  return text === '' || (place === 'message' && text === query) ? [] : [{ place, text }];
}
