import type { ScriptedRequest } from './reply.ts';

/** What a chat request is for, told by its text: the first question of an extraction, what follows it, and the rest. */
export type Purpose =
  'extract' | 'again' | 'continue' | 'reconcile' | 'user-summary' | 'conversation-summary' | 'other';

/** The forms of reply that prompts for memories ask for, by the example that they give. */
const FORMS = [
  ['standard', '{"facts": [{"category"'],
  ['tiered', '{"facts": [{"project"'],
  ['reconciled', '{"facts": ["'],
  ['facts-and-context', '{"facts": {'],
  ['categorised', '[{"category"'],
  ['single-fact', 'exactly one line'],
] as const;
export type Form = (typeof FORMS)[number][0];

export type PromptRequest = Readonly<{
  purpose: Purpose;
  /** Of the reply, when memories are asked for. */
  form: Form | null;
  system: string;
  /** The user message that everything is in: the first. What follows in the same request only asks again. */
  question: string;
}>;

/** Reads a chat request as Factmill's own prompts put it. */
export function readPromptRequest({ body }: Pick<ScriptedRequest, 'body'>): PromptRequest {
  const given: unknown = body['messages'];
  const messages: { role?: unknown; content?: unknown }[] = Array.isArray(given) ? given : [];
  const textOf = (role: string, pick: 'first' | 'last' = 'first'): string => {
    const of = messages.filter((message) => message?.role === role);
    const content = (pick === 'first' ? of[0] : of.at(-1))?.content;
    return typeof content === 'string' ? content : '';
  };
  const system = textOf('system');
  const question = textOf('user');
  const form = FORMS.find(([, example]) => system.includes(example))?.[0] ?? null;
  const isFollowUp = messages.some((message) => message?.role === 'assistant');
  return { purpose: purposeOf(), form, system, question };

  function purposeOf(): Purpose {
    if (question.includes('<new_facts>')) return 'reconcile';
    if (question.includes('Reply with the new summary only')) return 'conversation-summary';
    if (question.includes('Reply with the portrait only')) return 'user-summary';
    if (form === null || !question.includes('<conversation>')) return 'other';
    if (!isFollowUp) return 'extract';
    return textOf('user', 'last').includes('broke off') ? 'continue' : 'again';
  }
}
