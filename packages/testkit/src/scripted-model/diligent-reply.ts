import { type PromptRequest, type Form, readPromptRequest } from './prompt-request.ts';
import { conversationIn, findSimpleFacts } from './facts-reply.ts';
import type { ScriptedRequest } from './reply.ts';

/** One thing that a model finds in a conversation. `content` is a sentence that is understood on its own. */
export type Finding =
  | Readonly<{ kind: 'attribute'; category: string; key: string; value: string; content: string }>
  | Readonly<{ kind: 'answer'; question: string; content: string }>
  | Readonly<{ kind: 'event'; content: string }>;

/** What a model has to be able to do; the rest is form. */
export type Skill = Readonly<{
  find: (conversation: string) => readonly Finding[];
  /** How a new fact goes together with what a memory says. */
  judge: (memory: string, fact: string) => 'same' | 'replaces' | 'other';
}>;

/** Finds simple statements (`findSimpleFacts`); a sentence replaces another that differs after its last verb. */
const SIMPLE_SKILL: Skill = {
  find(conversation) {
    const { facts, context } = findSimpleFacts(conversation);
    return [
      ...Object.entries(facts).map(([key, value]): Finding => {
        const content = `The user's ${key.replaceAll('_', ' ')} is ${value}.`;
        return { kind: 'attribute', category: 'other', key, value, content };
      }),
      ...context.map(({ q, a }): Finding => ({ kind: 'answer', question: q, content: a })),
    ];
  },
  judge(memory, fact) {
    const [left, right] = [memory, fact].map((text) => /^(.+ (?:is|are|in|at|to)) (.+?)\.?$/.exec(text));
    if (memory === fact) return 'same';
    if (left?.[1] === undefined || left[1] !== right?.[1]) return 'other';
    return left[2] === right[2] ? 'same' : 'replaces';
  },
};

/**
 * The reply of a model that does its job, whatever Factmill asks: memories in the form of the prompt, decisions about
 * neighbours, summaries. It gives everything that it finds in the conversation, also what the prompt says is known.
 * Deterministic.
 */
export function replyDiligently(request: Pick<ScriptedRequest, 'body'>, skill: Skill = SIMPLE_SKILL): string {
  const asked = readPromptRequest(request);
  switch (asked.purpose) {
    case 'reconcile':
      return decide(asked, skill);
    case 'conversation-summary':
      return summarise(blockOf(asked, 'summary'), skill.find(conversationIn(asked.question)));
    case 'user-summary':
      return lastWords(blockOf(asked, 'facts').replaceAll(/^- [\d-]+: /gm, ''), 200);
    case 'continue':
      return format([], asked.form ?? 'standard');
    default:
      return format(skill.find(conversationIn(asked.question)), asked.form ?? 'facts-and-context');
  }
}

function format(findings: readonly Finding[], form: Form): string {
  const attributes = findings.filter((finding) => finding.kind === 'attribute');
  const answers = findings.filter((finding) => finding.kind === 'answer');
  const sentences = findings.filter((finding) => finding.kind !== 'event');
  const event = findings.findLast((finding) => finding.kind === 'event')?.content ?? null;
  const context = answers.map(({ question, content }) => ({ q: question, a: content }));
  switch (form) {
    case 'standard': {
      const facts = attributes.map(({ category, key, value }) => ({ category, key, value }));
      return JSON.stringify({ facts, context, event });
    }
    case 'facts-and-context': {
      const facts = Object.fromEntries(attributes.map(({ key, value }) => [key, value]));
      return JSON.stringify({ facts, context });
    }
    case 'tiered': {
      const facts = sentences.map((finding) => ({
        project: null,
        topic: null,
        category: finding.kind === 'attribute' ? finding.category : 'conversation',
        content: finding.content,
        importance: finding.kind === 'attribute' ? 0.7 : 0.5,
      }));
      return JSON.stringify({ facts, event });
    }
    case 'categorised':
      return JSON.stringify(sentences.map((finding) => toCategorised(finding)));
    case 'reconciled':
      return JSON.stringify({ facts: sentences.map(({ content }) => content) });
    default:
      return sentences[0]?.content ?? 'NOTHING';
  }
}

/** Everything has a key there: that of an answer are the words of its question. */
function toCategorised(finding: Exclude<Finding, { kind: 'event' }>): object {
  const about =
    finding.kind === 'attribute'
      ? { category: finding.category, key: finding.key, value: finding.value }
      : { category: 'context', key: toKey(finding.question), value: finding.content };
  return { ...about, source: 'user_explicit', source_context: 'said in the conversation' };
}

function toKey(question: string): string {
  const words = question.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  return words.filter((word) => !/^(?:the|a|an|does|is|are|did|do|user|users|s|of)$/.test(word)).join('_');
}

/** Decisions about new facts: known ones are not added, a memory that one contradicts is deleted. */
function decide(asked: PromptRequest, { judge }: Skill): string {
  const memories = linesOf(asked, 'existing_memories');
  const decisions: { event: string; id: string }[] = [];
  const deleted = new Set<string>();
  for (const fact of linesOf(asked, 'new_facts')) {
    const verdicts = memories.map(({ id, text }) => ({ id, verdict: judge(text, fact.text) }));
    if (verdicts.some(({ verdict }) => verdict === 'same')) {
      decisions.push({ event: 'NONE', id: fact.id });
      continue;
    }
    for (const { id, verdict } of verdicts) if (verdict === 'replaces') deleted.add(id);
    decisions.push({ event: 'ADD', id: fact.id });
  }
  return JSON.stringify([...[...deleted].map((id) => ({ event: 'DELETE', id })), ...decisions]);
}

function linesOf(asked: PromptRequest, block: string): { id: string; text: string }[] {
  return [...blockOf(asked, block).matchAll(/^([MN]\d+) \([\d-]+\): (.*)$/gm)].map(([, id, text]) => ({
    id: id ?? '',
    text: text ?? '',
  }));
}

function blockOf({ question }: PromptRequest, name: string): string {
  return new RegExp(`<${name}>\\n([\\s\\S]*?)\\n</${name}>`).exec(question)?.[1] ?? '';
}

function summarise(summary: string, findings: readonly Finding[]): string {
  const present = summary === '(none)' || summary === 'Nothing of note so far.' ? '' : summary;
  const fresh = findings.map(({ content }) => content).filter((content) => !present.includes(content));
  return lastWords([present, ...fresh].join(' '), 150) || 'Nothing of note so far.';
}

function lastWords(text: string, most: number): string {
  const words = text.match(/\S+/g) ?? [];
  return words.slice(-most).join(' ');
}
