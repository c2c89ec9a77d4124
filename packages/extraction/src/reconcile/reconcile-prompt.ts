import type { Prompt } from '../prompts/build-prompt.ts';
import { fillTemplate, type Prompts } from '../prompts/template.ts';
import type { DecisionFault } from './read-decisions.ts';
import type { ReconcileQuestion } from './reconcile-question.ts';

/** The chat messages that ask how new facts and similar memories relate. */
export function buildReconcilePrompt(
  prompts: Pick<Prompts, 'reconcile'>,
  { candidates, memories }: ReconcileQuestion,
  now: Date,
): Prompt {
  const template = prompts.reconcile;
  const messages = fillTemplate(template, {
    EXISTING_MEMORIES: memories.map((memory, index) => line('M', index, memory)).join('\n'),
    NEW_FACTS: candidates.map((candidate, index) => line('N', index, candidate)).join('\n'),
    TODAY: now.toISOString().slice(0, 10),
  });
  return { messages, promptVersion: template.version };
}

/** Longer texts are cut in the prompt: their beginning shows the subject. */
const MAX_SHOWN_CHARACTERS = 600;

function line(
  letter: string,
  index: number,
  { content, statedAt }: { content: string; statedAt: Date },
): string {
  const text = content.replaceAll(/\s+/g, ' ').trim().slice(0, MAX_SHOWN_CHARACTERS).toWellFormed();
  return `${letter}${index + 1} (${statedAt.toISOString().slice(0, 10)}): ${text}`;
}

const CORRECTIONS: Readonly<Partial<Record<DecisionFault, string>>> = {
  not_a_list: 'it is not a JSON array of objects with "event" and "id"',
  cut_off: 'it broke off',
  unknown_event: 'an event is none of ADD, UPDATE, DELETE, NONE',
  unknown_id: 'an id is none of those that were given',
  wrong_id_for_event: 'ADD takes the id of a new fact, UPDATE and DELETE that of a memory',
  repeated_id: 'an id occurs more than once',
  missing_text: 'an UPDATE has no "text"',
  text_too_long: 'a "text" is longer than one sentence',
  text_invents: 'a "text" says something that neither the memory nor the new facts next to it say',
  text_negates: 'a "text" denies or ends something that neither the memory nor the new facts next to it do',
};
const NO_STATEMENT = 'a "text" is no plain statement about the user';

/** The follow-up to an unusable reply. */
export function correctionOf(faults: readonly DecisionFault[]): string {
  return `That reply cannot be used: ${[...new Set(faults.map((fault) => CORRECTIONS[fault] ?? NO_STATEMENT))].join('; ')}. Answer again with the JSON array only.`;
}
