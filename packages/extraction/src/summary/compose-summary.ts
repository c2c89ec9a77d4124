import { estimateTokens } from '../token-estimate.ts';
import type { CandidateKind } from '../types.ts';

/** A current memory, for a summary. */
export type SummarisedMemory = Readonly<{
  kind: CandidateKind;
  /** 1 profile, 2 knowledge, 3 event log. */
  tier: number;
  category: string;
  content: string;
  question: string | null;
  answer: string | null;
  statedAt: Date;
}>;

/** About 450 words: small enough for every prompt. */
const COMPOSED_TOKEN_BUDGET = 340;

const SENTENCE_END = /[.!?…。！？]["'”’)]*$/u;

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim();
}

function ended(text: string): string {
  return SENTENCE_END.test(text) ? text : `${text}.`;
}

/** One memory as a self-contained sentence; empty when it has no text. */
export function sentenceOf(
  memory: Pick<SummarisedMemory, 'kind' | 'content' | 'question' | 'answer'>,
): string {
  const { kind, content, question, answer } = memory;
  if (kind !== 'qa' || question === null || answer === null) {
    const text = oneLine(content);
    return text === '' ? '' : ended(text);
  }
  const [asked, said] = [oneLine(question), oneLine(answer)];
  // "The user likes fado." stands alone; "Blue" needs its question.
  const standsAlone = /^\p{Lu}/u.test(said) && SENTENCE_END.test(said) && said.split(' ').length >= 4;
  return standsAlone ? said : `${asked} ${ended(said)}`.trim();
}

/** An event with its day, unless it names the day itself. */
function eventLine(memory: SummarisedMemory): string {
  const sentence = sentenceOf(memory);
  return sentence === '' || /\b\d{4}-\d\d-\d\d\b/.test(sentence)
    ? sentence
    : `${memory.statedAt.toISOString().slice(0, 10)}: ${sentence}`;
}

const PROFILE = 'Profile';
const EVENTS = 'Events';

function headingOf(memory: SummarisedMemory): string {
  if (memory.kind === 'event' || memory.tier === 3) return EVENTS;
  if (memory.tier === 1) return PROFILE;
  const name = oneLine(memory.category.replaceAll('_', ' '));
  return name === '' ? 'General' : name.slice(0, 1).toUpperCase() + name.slice(1);
}

/** Takes memories in order until the budget is full; when one does not fit, shorter ones after it still may. */
function withinBudget(
  memories: readonly SummarisedMemory[],
  tokenBudget: number,
): Readonly<{ heading: string; line: string; statedAt: Date }>[] {
  const taken: { heading: string; line: string; statedAt: Date }[] = [];
  const headings = new Set<string>();
  const lines = new Set<string>();
  let tokens = 0;
  for (const memory of memories) {
    const heading = headingOf(memory);
    const line = heading === EVENTS ? eventLine(memory) : sentenceOf(memory);
    if (line === '' || lines.has(line)) continue;
    // Each part is rounded up, so the sum is never below the estimate of the whole.
    const cost = estimateTokens(line) + (headings.has(heading) ? 0 : estimateTokens(`${heading}:`));
    if (tokens + cost > tokenBudget) continue;
    tokens += cost;
    headings.add(heading);
    lines.add(line);
    taken.push({ heading, line, statedAt: memory.statedAt });
  }
  return taken;
}

function rank(heading: string): number {
  return heading === PROFILE ? 0 : heading === EVENTS ? 2 : 1;
}

/**
 * A readable text of a user's memories without a model: one paragraph for the profile, one per category in
 * alphabetical order, the events last and oldest first. Deterministic; states nothing beyond `memories`.
 *
 * @param memories most important first; the last ones are dropped when `tokenBudget` is exceeded
 */
export function composeUserSummary(
  memories: readonly SummarisedMemory[],
  tokenBudget: number = COMPOSED_TOKEN_BUDGET,
): string {
  const taken = withinBudget(memories, tokenBudget);
  const headings = [...new Set(taken.map(({ heading }) => heading))];
  return headings
    .toSorted((a, b) => rank(a) - rank(b) || (a < b ? -1 : 1))
    .map((heading) => {
      const told = taken.filter((part) => part.heading === heading);
      if (heading === EVENTS) told.sort((a, b) => a.statedAt.getTime() - b.statedAt.getTime());
      return `${heading}: ${told.map(({ line }) => line).join(' ')}`;
    })
    .join('\n');
}

/**
 * A readable text of one conversation's memories without a model: in the order they were stated, one line each,
 * events with their day. When they exceed the budget, the oldest are dropped.
 *
 * @param memories last stated first
 */
export function composeConversationSummary(
  memories: readonly SummarisedMemory[],
  tokenBudget: number = COMPOSED_TOKEN_BUDGET,
): string {
  return withinBudget(memories, tokenBudget)
    .toReversed()
    .map(({ line }) => line)
    .join('\n');
}
