/** Placeholders that every extraction prompt may use. */
const EXTRACTION = [
  'EXISTING_MEMORIES',
  'EXISTING_CONTEXT',
  'TODAY',
  'TRANSCRIPT',
  'USER_TEXT',
  'ASSISTANT_TEXT',
] as const;
const CONVERSATION = ['TRANSCRIPT', 'USER_TEXT'] as const;

/**
 * Every prompt by its file name: the placeholders it may use, and those of which it needs at least one, because
 * without it the prompt has no content. A new prompt is a line here and a file in `prompts/`.
 */
export const PROMPTS = {
  standard: { placeholders: EXTRACTION, needs: CONVERSATION },
  'facts-and-context': { placeholders: EXTRACTION, needs: CONVERSATION },
  'single-fact': { placeholders: EXTRACTION, needs: CONVERSATION },
  tiered: { placeholders: EXTRACTION, needs: CONVERSATION },
  categorised: { placeholders: EXTRACTION, needs: CONVERSATION },
  reconciled: { placeholders: EXTRACTION, needs: CONVERSATION },
  /** How new facts and similar memories (by short ids) relate. */
  reconcile: { placeholders: ['EXISTING_MEMORIES', 'NEW_FACTS', 'TODAY'], needs: ['NEW_FACTS'] },
  /** A narrative about the user from all facts. */
  'user-summary': { placeholders: ['FACTS', 'EXISTING_SUMMARY', 'TODAY'], needs: ['FACTS'] },
  /** The rolling summary of one conversation. */
  'conversation-summary': {
    placeholders: ['EXISTING_SUMMARY', 'TRANSCRIPT', 'TODAY'],
    needs: ['TRANSCRIPT'],
  },
  /** Facts from the events of a day. */
  'compress-events': { placeholders: ['MEMORIES'], needs: ['MEMORIES'] },
  /** Fewer facts from the memories of one project and topic. */
  'merge-partition': { placeholders: ['MEMORIES'], needs: ['MEMORIES'] },
  /** An updated core profile. */
  'update-profile': { placeholders: ['PROFILE', 'MEMORIES'], needs: ['MEMORIES'] },
} as const satisfies Record<string, { placeholders: readonly string[]; needs: readonly string[] }>;

export type PromptName = keyof typeof PROMPTS;
export type PlaceholderOf<N extends PromptName> = (typeof PROMPTS)[N]['placeholders'][number];

export const PROMPT_NAMES = Object.keys(PROMPTS) as readonly PromptName[];

export function isPromptName(name: string): name is PromptName {
  return Object.hasOwn(PROMPTS, name);
}
