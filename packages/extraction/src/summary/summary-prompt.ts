import type { Prompt } from '../prompts/build-prompt.ts';
import { fillTemplate, type Prompts } from '../prompts/template.ts';
import { estimateTokens } from '../token-estimate.ts';
import type { Transcript } from '../transcript/build-transcript.ts';
import { sentenceOf, type SummarisedMemory } from './compose-summary.ts';

/** Budget for a user's memories: with instructions and reply well inside a context of 8,000 tokens. */
export const NARRATIVE_TOKEN_BUDGET = 4_000;

const NONE = '(none)';

function dayOf(date: Date): string {
  return date.toISOString().slice(0, 10);
}

/**
 * The question for a user's narrative (D11). Every memory is one line with the day it was stated. Our template
 * omits the present narrative, because it may repeat deleted memories.
 *
 * @param input.memories most important first; memories beyond NARRATIVE_TOKEN_BUDGET are dropped
 */
export function buildUserSummaryPrompt(input: {
  prompts: Prompts;
  memories: readonly SummarisedMemory[];
  summary: string | null;
  now: Date;
}): Prompt & { memoryCount: number } {
  const lines: string[] = [];
  let tokens = 0;
  for (const memory of input.memories) {
    const line = `- ${dayOf(memory.statedAt)}: ${sentenceOf(memory)}`;
    const cost = estimateTokens(line);
    if (tokens + cost > NARRATIVE_TOKEN_BUDGET) continue;
    tokens += cost;
    lines.push(line);
  }
  const template = input.prompts['user-summary'];
  const messages = fillTemplate(template, {
    TODAY: dayOf(input.now),
    FACTS: lines.join('\n'),
    EXISTING_SUMMARY: input.summary ?? NONE,
  });
  return { messages, promptVersion: template.version, memoryCount: lines.length };
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
