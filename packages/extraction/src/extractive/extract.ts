import { normaliseKey } from '../content-hash.ts';
import { serializeReply } from '../reply/serialize-reply.ts';
import { stripInjectedPostfixes, toStorableText } from '../transcript.ts';
import type { RawCandidate, TranscriptMessage } from '../types.ts';
import { toSentences } from './clean-text.ts';
import { toClauses, type Clause } from './clauses.ts';
import { resolveDates } from './dates.ts';
import { withSubject } from './elided-subject.ts';
import { refusalOf } from './refusals.ts';
import { readStatements, type Statement } from './statements.ts';
import { speakerOf, toThirdPerson, type Speaker } from './third-person.ts';

export type ExtractOptions = {
  /** What the speaker of a message without `name` is called. Default `The user`. */
  speaker?: string;
};

/** Rules read keyed attributes reliably; what they only keep as a sentence is less certain to last. */
const KEYED_CONFIDENCE = '90';
const NOTE_CONFIDENCE = '75';
const SOURCE = 'user_explicit';
const MIN_CONTENT_CHARACTERS = 12;

type Context = { message: TranscriptMessage; speaker: Speaker; keyPrefix: string };

function toItem(statement: Statement, content: string, date: string | null, context: Context): RawCandidate {
  const keyed = statement.key !== null;
  return {
    kind: keyed ? 'fact' : 'note',
    category: statement.category,
    key: keyed ? context.keyPrefix + statement.key : null,
    value: statement.value,
    content,
    question: null,
    answer: null,
    source: SOURCE,
    sourceContext: null,
    confidence: keyed ? KEYED_CONFIDENCE : NOTE_CONFIDENCE,
    importance: null,
    tier: null,
    tags: [],
    messageIds: [context.message.id],
    validFrom: date,
  };
}

/** `2023` and `2023-06` as the first day they contain. */
function toIsoDay(date: string | null): string | null {
  return date === null ? null : `${date}-01-01`.slice(0, 10);
}

function readClause(clause: Clause, context: Context): RawCandidate[] {
  if (clause.isQuestion) return [];
  const { text, readable } = withSubject(clause.text);
  if (refusalOf(text) !== null) return [];
  const dated = resolveDates(text, context.message.createdAt);
  const statements = readStatements(dated.text, context.speaker.start, dated.date !== null);
  if (statements.length === 0) return [];
  const said = readable === text ? dated.text : resolveDates(readable, context.message.createdAt).text;
  const sentence = toThirdPerson(said, context.speaker, dated.date !== null);
  return statements
    .map((statement) => toItem(statement, statement.content ?? sentence, toIsoDay(dated.date), context))
    .filter((item) => (item.content ?? '').length >= MIN_CONTENT_CHARACTERS);
}

function readMessage(message: TranscriptMessage, options: ExtractOptions): RawCandidate[] {
  const name = message.name === undefined ? '' : toStorableText(message.name);
  const context: Context = {
    message,
    speaker: speakerOf(name, options.speaker ?? 'The user'),
    // Several named speakers share one user's memory: their attributes must not replace each other's.
    keyPrefix: name === '' ? '' : `${normaliseKey(name)}_`,
  };
  return toSentences(stripInjectedPostfixes(message.content)).flatMap((sentence) =>
    toClauses(sentence).flatMap((clause) => readClause(clause, context)),
  );
}

/**
 * Finds lasting statements in the user messages by rules, without a model, and returns them as a reply in
 * the format of `parseReply`, so that they are pinned, parsed and planned like a model's answer. Statements
 * are about the user in the third person (or about `name`, where messages carry one), relative dates are
 * written out against the message's `createdAt` in UTC. Deterministic; never throws.
 */
export function extractFromMessages(
  messages: readonly TranscriptMessage[],
  options: ExtractOptions = {},
): string {
  const items = messages
    .filter((message) => message.role === 'user')
    .toSorted((a, b) => a.seq - b.seq)
    .flatMap((message) => readMessage(message, options));
  const seen = new Set<string>();
  const distinct = items.filter((item) => {
    const identity = JSON.stringify([item.key, item.value, item.content]);
    if (seen.has(identity)) return false;
    seen.add(identity);
    return true;
  });
  return serializeReply(distinct);
}
