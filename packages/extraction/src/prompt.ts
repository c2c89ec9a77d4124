import type { Preset } from './presets/preset.ts';
import {
  factsAndContextTemplate,
  fillPlaceholders,
  promptVersionOf,
  type PromptTemplate,
} from './prompt-template.ts';
import type { Transcript } from './transcript.ts';
import type { KnownMemory } from './types.ts';

export type PromptMessage = { role: 'system' | 'user'; content: string };
export type Prompt = { messages: PromptMessage[]; promptVersion: string };

/** The values a template may ask for. */
export const PROMPT_PLACEHOLDERS = ['EXISTING_MEMORIES', 'TODAY', 'USER_TEXT'] as const;

const templates: Readonly<Record<Preset['prompt'], PromptTemplate>> = {
  'facts-and-context': factsAndContextTemplate,
};

/**
 * Keeps text from closing the block it stands in: the opening `<` of our own tags becomes `&lt;`, however
 * they are spaced or cased. Everything else stays as the user wrote it.
 */
export function escapeDelimiters(text: string): string {
  return text.replaceAll(/<(?=[\s/]{0,8}(?:conversation|known_memories)\b)/gi, '&lt;');
}

function renderKnownMemories(memories: readonly KnownMemory[], limit: number): string {
  const lines = memories.slice(0, limit).map((memory) => {
    const text =
      memory.key === null || memory.value === null ? memory.content : `${memory.key}: ${memory.value}`;
    return `- ${escapeDelimiters(text.replaceAll(/\s+/g, ' ').trim())}`;
  });
  return lines.length === 0 ? '(none)' : lines.join('\n');
}

/**
 * The chat messages that ask a model for the memories in a transcript. The system message is the same in
 * every call; known memories, the date (UTC) and the conversation come last.
 */
export function buildPrompt(input: {
  preset: Preset;
  transcript: Pick<Transcript, 'text'>;
  knownMemories: readonly KnownMemory[];
  now: Date;
}): Prompt {
  const template = templates[input.preset.prompt];
  const values: Record<(typeof PROMPT_PLACEHOLDERS)[number], string> = {
    EXISTING_MEMORIES: renderKnownMemories(input.knownMemories, input.preset.knownMemoryLimit),
    TODAY: input.now.toISOString().slice(0, 10),
    USER_TEXT: escapeDelimiters(input.transcript.text),
  };
  return {
    messages: [
      { role: 'system', content: fillPlaceholders(template.system, values) },
      { role: 'user', content: fillPlaceholders(template.user, values) },
    ],
    promptVersion: promptVersionOf(template),
  };
}
