import { createHash } from 'node:crypto';
import { estimateTokens } from '../token-estimate.ts';
import { sentenceOf, type SummarisedMemory } from './compose-summary.ts';

/** Budget for the lines of one question: with instructions and reply well inside a context of 8,000 tokens. */
export const NARRATIVE_TOKEN_BUDGET = 4_000;
/** Limit of a line, also of Chinese: less than the budget. */
const MAX_LINE_CHARACTERS = 2_500;
/** Limit of a part's text. Four of them fit into a question, so that each level has fewer lines than the one before. */
const MAX_PART_TOKENS = 900;
/** A part ends at about every 128th line, by the hash of the line. */
const PART_END = 2;

/** A line of the question for a narrative: a memory, or the text of a part. */
export type NarrativeLine = Readonly<{
  text: string;
  /** The days that it tells of. */
  from: Date;
  to: Date;
  /** Heavier lines come first in a question. */
  weight: number;
}>;

/** A memory as a line; profile first. Null when it has no text. */
export function lineOfMemory(
  memory: Pick<SummarisedMemory, 'kind' | 'tier' | 'content' | 'question' | 'answer' | 'statedAt'> & {
    importance: number;
  },
): NarrativeLine | null {
  const { tier, importance, statedAt } = memory;
  const text = sentenceOf(memory).slice(0, MAX_LINE_CHARACTERS).toWellFormed();
  return text === '' ? null : { text, from: statedAt, to: statedAt, weight: tier === 1 ? 2 : importance };
}

/** The text of a part as a line of the next question. */
export function lineOfPart(part: readonly NarrativeLine[], content: string): NarrativeLine {
  let text = content.replaceAll(/\s+/g, ' ').trim();
  for (let tokens = estimateTokens(text); tokens > MAX_PART_TOKENS; tokens = estimateTokens(text)) {
    text = text.slice(0, Math.floor((text.length * MAX_PART_TOKENS) / tokens)).toWellFormed();
  }
  const days = part.flatMap(({ from, to }) => [from.getTime(), to.getTime()]);
  return { text, from: new Date(Math.min(...days)), to: new Date(Math.max(...days)), weight: 0 };
}

/** All lines when they fit into one question, else null. Reads no more of them than that takes. */
export async function wholeOf(
  lines: AsyncIterable<NarrativeLine> | Iterable<NarrativeLine>,
): Promise<NarrativeLine[] | null> {
  const whole: NarrativeLine[] = [];
  let tokens = 0;
  for await (const line of lines) {
    tokens += costOf(line);
    if (tokens > NARRATIVE_TOKEN_BUDGET) return null;
    whole.push(line);
  }
  return whole;
}

/**
 * Splits lines, in order, into parts that each fit into one question. Lines of their own choice end a part, so that a
 * change moves no part but the one that it is in. All parts but the last have at least two lines where two fit.
 */
export async function* partsOf(
  lines: AsyncIterable<NarrativeLine> | Iterable<NarrativeLine>,
): AsyncGenerator<readonly NarrativeLine[]> {
  let part: NarrativeLine[] = [];
  let tokens = 0;
  for await (const line of lines) {
    if (part.length > 0 && tokens + costOf(line) > NARRATIVE_TOKEN_BUDGET) {
      yield part;
      [part, tokens] = [[], 0];
    }
    part.push(line);
    tokens += costOf(line);
    if (part.length > 1 && endsPart(line)) {
      yield part;
      [part, tokens] = [[], 0];
    }
  }
  if (part.length > 0) yield part;
}

/** Identifies the question about a part: hex SHA-256. */
export function hashOfPart(part: readonly NarrativeLine[], promptVersion: string): string {
  const hash = createHash('sha256').update(promptVersion);
  for (const line of part) hash.update(`\n${renderLine(line)}`);
  return hash.digest('hex');
}

/** A line as the question shows it. */
export function renderLine({ text, from, to }: NarrativeLine): string {
  const [first, last] = [dayOf(from), dayOf(to)];
  return first === last ? `- ${first}: ${text}` : `- ${first} to ${last}: ${text}`;
}

function costOf(line: NarrativeLine): number {
  return estimateTokens(renderLine(line));
}

function endsPart({ text }: NarrativeLine): boolean {
  return (createHash('sha256').update(text).digest()[0] ?? 0) < PART_END;
}

function dayOf(date: Date): string {
  return date.toISOString().slice(0, 10);
}
