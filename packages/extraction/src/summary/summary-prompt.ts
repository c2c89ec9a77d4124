import type { Prompt } from '../prompts/build-prompt.ts';
import { fillTemplate, type Prompts } from '../prompts/template.ts';
import type { Transcript } from '../transcript/build-transcript.ts';
import { type NarrativeLine, renderLine } from './narrative-parts.ts';

const NONE = '(none)';

function dayOf(date: Date): string {
  return date.toISOString().slice(0, 10);
}

/**
 * The question for a user's narrative (D11), or for the text of one part of it. Every memory is one line with the day
 * it was stated, the heaviest first. Our template omits the present narrative, because it may repeat deleted memories.
 *
 * @param input.lines fit into one question: see `partsOf`
 */
export function buildUserSummaryPrompt(input: {
  prompts: Prompts;
  lines: readonly NarrativeLine[];
  summary: string | null;
  now: Date;
}): Prompt {
  const template = input.prompts['user-summary'];
  const ordered = input.lines.toSorted((a, b) => b.weight - a.weight);
  const messages = fillTemplate(template, {
    TODAY: dayOf(input.now),
    FACTS: ordered.map((line) => renderLine(line)).join('\n'),
    EXISTING_SUMMARY: input.summary ?? NONE,
  });
  return { messages, promptVersion: template.version };
}

/**
 * The question for a conversation's rolling summary (E10).
 *
 * @param input.transcript of the messages since the last summary
 */
export function buildConversationSummaryPrompt(input: {
  prompts: Prompts;
  summary: string | null;
  transcript: Pick<Transcript, 'text' | 'saidAt'>;
  now: Date;
}): Prompt {
  const template = input.prompts['conversation-summary'];
  const messages = fillTemplate(template, {
    TODAY: dayOf(input.transcript.saidAt ?? input.now),
    EXISTING_SUMMARY: input.summary ?? NONE,
    TRANSCRIPT: input.transcript.text,
  });
  return { messages, promptVersion: template.version };
}
