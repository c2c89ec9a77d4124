import type { Preset } from '../presets/preset.ts';
import type { Transcript } from '../transcript/build-transcript.ts';
import type { KnownMemory } from '../types.ts';
import { fillTemplate, type PromptMessage, type Prompts } from './template.ts';

export type Prompt = { messages: PromptMessage[]; promptVersion: string };

/** A context document, or the relevant part of it. */
export type KnownDocument = { title: string; content: string };

const NONE = '(none)';

/** One line per memory: `- key: value`, or its content. */
function renderMemories(memories: readonly Pick<KnownMemory, 'key' | 'value' | 'content'>[]): string {
  const lines = memories.map(({ key, value, content }) =>
    `- ${key === null || value === null ? content : `${key}: ${value}`}`.replaceAll(/\s+/g, ' ').trim(),
  );
  return lines.length === 0 ? NONE : lines.join('\n');
}

function renderDocuments(documents: readonly KnownDocument[]): string {
  const texts = documents.map(
    ({ title, content }) => `# ${title.replaceAll(/\s+/g, ' ').trim()}\n${content.trim()}`,
  );
  return texts.length === 0 ? NONE : texts.join('\n\n');
}

/**
 * The chat messages that ask a model for the memories in a transcript, by the preset's template. Variable parts
 * come last: known memories (at most `knownMemoryLimit`), documents, the date on which the conversation ended (UTC;
 * `now` for an empty one), the conversation.
 */
export function buildPrompt(input: {
  prompts: Prompts;
  preset: Preset;
  transcript: Pick<Transcript, 'text' | 'userText' | 'assistantText' | 'saidAt'>;
  knownMemories: readonly KnownMemory[];
  documents?: readonly KnownDocument[];
  now: Date;
}): Prompt {
  const { preset, transcript } = input;
  const template = input.prompts[preset.prompt];
  const messages = fillTemplate(template, {
    EXISTING_MEMORIES: renderMemories(input.knownMemories.slice(0, preset.knownMemoryLimit)),
    EXISTING_CONTEXT: renderDocuments(preset.showsDocuments ? (input.documents ?? []) : []),
    TODAY: (transcript.saidAt ?? input.now).toISOString().slice(0, 10),
    TRANSCRIPT: transcript.text,
    USER_TEXT: transcript.userText,
    ASSISTANT_TEXT: transcript.assistantText,
  });
  return { messages, promptVersion: template.version };
}
