import { setImmediate } from 'node:timers/promises';
import { type RawCandidate, serializeReply, textWidth, type TranscriptMessage } from '@factmill/extraction';
import { readChineseMessage, type Mentioned } from './chinese/read-message.ts';
import { type Clause, expand, toClauses } from './clauses.ts';
import { readConversation, type Told } from './conversation.ts';
import { toNotes, type Note, type Reading } from './note.ts';
import { peopleIn, type Person } from './people.ts';
import type { Language } from './other-languages/language.ts';
import { readInOwnWords } from './other-languages/read-message.ts';
import { readClause } from './read-clause.ts';
import type { Statement } from './statements.ts';
import { contentWords } from './telling.ts';
import { splitWish, standingWishOf } from './standing-wish.ts';
import type { Topic } from './topic.ts';
import { toThirdPerson } from './third-person.ts';

export type ExtractOptions = {
  /** What the speaker of a message without `name` is called. Default `The user`. */
  speaker?: string;
  /** Whether what no rule reads is kept as a note in the words of a user without `name`. Default true. */
  keepsOwnWords?: boolean;
};

/** Rules read keyed attributes reliably; what they only keep as a sentence, or only know to be told, lasts less. */
const KEYED_CONFIDENCE = '90';
const NOTE_CONFIDENCE = '75';
const TOLD_CONFIDENCE = '60';
const SOURCE = 'user_explicit';
/** Of notes in the user's own words. */
const OWN_WORDS_SOURCE = 'own_words';
const MIN_CONTENT_WIDTH = 12;
/** The core profile. What is wanted of every reply is not found by what a chat is about. */
const TIER_OF_EVERY_CHAT = '1';

type Text = { category: string; content: string; date: string | null; confidence: string };
type Keyed = { key: string; value: string | null };

function toItem(text: Text, keyed: Keyed | null, messageId: string): RawCandidate {
  return {
    kind: keyed === null ? 'note' : 'fact',
    category: text.category,
    key: keyed?.key ?? null,
    value: keyed?.value ?? null,
    content: text.content,
    question: null,
    answer: null,
    source: SOURCE,
    sourceContext: null,
    confidence: text.confidence,
    importance: null,
    tier: null,
    tags: [],
    messageIds: [messageId],
    validFrom: text.date,
    project: null,
    topic: null,
  };
}

function contentOf(statement: Statement, reading: Reading, { speaker }: Told): string {
  if (statement.content !== null) return statement.content;
  return statement.said === null ? reading.sentence : toThirdPerson(statement.said, speaker, true);
}

function toFacts(reading: Reading, told: Told): RawCandidate[] {
  return reading.keyed.map((statement) => {
    const { category } = statement;
    const content = contentOf(statement, reading, told);
    const text = { category, content, date: reading.date, confidence: KEYED_CONFIDENCE };
    return toItem(text, { key: told.keyPrefix + statement.key, value: statement.value }, told.message.id);
  });
}

/** What is made of a question and its answer comes from both messages, and says who asked. */
function fromQuestion(
  { messageId, asked }: Topic,
  told: Told,
): Pick<RawCandidate, 'messageIds' | 'sourceContext'> {
  return { messageIds: [messageId, told.message.id], sourceContext: asked };
}

/** Whether a sentence only goes on about what was said in the user's own words before it. */
function followsOwnWords(readings: readonly Reading[], index: number): boolean {
  const opened = readings.slice(0, index + 1).findLast(({ opens }) => opens);
  return opened?.ownWords === true && readings[index]?.opens === false;
}

/** Speaks of what the sentence before names: "I've reduced it to 300 ms". */
const REFERS = /\s(?:it|them)\b|\s(?:this|that|these|those)(?= (?:as|to|by|with|in|for|on|when)\b|\.$)/;

/** Which sentences are kept in the user's own words: also what speaks of such a sentence right before it. */
function areOwnWords(readings: readonly Reading[]): boolean[] {
  const own: boolean[] = [];
  for (const [index, { ownWords, sentence }] of readings.entries()) {
    const refers = own[index - 1] === true && REFERS.test(sentence);
    own.push(ownWords || refers || followsOwnWords(readings, index));
  }
  return own;
}

/** Words of a clause beyond those of its facts that are worth a note as well. */
const MIN_WORDS_BEYOND = 3;

const WORDS = /[\p{L}\p{N}][\p{L}\p{N}'’-]*/gu;

/** "I'm 52, diabetic, and weak on stairs" says more than the age. */
function tellsBeyond({ keyed, sentence }: Reading): boolean {
  const facts = keyed.map(({ content }) => content ?? sentence).join(' ');
  const stated = new Set(facts.toLowerCase().match(WORDS));
  const beyond = sentence.replaceAll(WORDS, (word) => (stated.has(word.toLowerCase()) ? '' : word));
  return contentWords(beyond) >= MIN_WORDS_BEYOND;
}

/** Attributes with a key are facts of their own; all else that a paragraph tells is one note. */
function toItems(readings: readonly Reading[], told: Told): RawCandidate[] {
  const tellsMore = readings.some(({ keyed, opens }) => keyed.length === 0 && opens);
  const isOwnFact = ({ keyed }: Reading): boolean =>
    keyed.some(({ soft }) => !soft || !tellsMore || !told.social);
  const facts = readings.filter((reading) => isOwnFact(reading)).flatMap((reading) => toFacts(reading, told));
  const [standing = [], others = []] = [true, false].map((is) =>
    readings.filter((one) => one.standing === is),
  );
  const rest = others.filter(
    (reading) => !isOwnFact(reading) || (told.keepsOwnWords && tellsBeyond(reading)),
  );
  const wishes = standing.flatMap((reading) => toNotes([reading], { ...told, topic: null }));
  // What no rule reads is kept apart, so that a model's reading can take its place.
  const isOwnWords = areOwnWords(rest);
  const notes = [false, true].flatMap((own) =>
    toNotes(
      rest.filter((_, index) => isOwnWords[index] === own),
      own ? { ...told, topic: null } : told,
    ).map((note) => ({
      ...toNoteItem(note, own, told),
      ...(note.topic === null ? {} : fromQuestion(note.topic, told)),
    })),
  );
  return [...facts, ...wishes.map((note) => toNoteItem(note, false, told)), ...notes];
}

/** A plan holds from when it is told, not only from the day that it is for: searches leave out what has not begun. */
function begunBy(date: string | null, toldAt: Date): string | null {
  return date === null || Date.parse(date) > toldAt.getTime() ? null : date;
}

/** A note is surer where a rule knows what it states. */
function toNoteItem(note: Note, isOwnWords: boolean, told: Told): RawCandidate {
  const confidence = note.known ? NOTE_CONFIDENCE : TOLD_CONFIDENCE;
  const date = begunBy(note.date, told.message.createdAt);
  const item = toItem({ ...note, date, confidence }, null, told.message.id);
  return {
    ...item,
    source: isOwnWords ? OWN_WORDS_SOURCE : SOURCE,
    tier: note.standing === true ? TIER_OF_EVERY_CHAT : null,
  };
}

function* readChinese(told: Told, mentioned: Mentioned): Generator<RawCandidate[]> {
  for (const { facts, notes } of readChineseMessage(told, mentioned)) {
    yield [
      ...facts.map((fact) =>
        toItem(
          { ...fact, confidence: KEYED_CONFIDENCE },
          { key: told.keyPrefix + fact.key, value: fact.value },
          told.message.id,
        ),
      ),
      ...notes.map((note) => toNoteItem(note, !note.known && !told.social, told)),
    ];
  }
}

function* readElsewhere(told: Told, language: Language): Generator<RawCandidate[]> {
  for (const notes of readInOwnWords(told, language)) {
    yield notes.map((note) => toNoteItem(note, true, told));
  }
}

/** Sentences that tell an assistant what to do for good are statements of a wish, with the reason behind it. */
function clausesOf(sentence: string, { social, message }: Told): readonly Clause[] {
  if (social) return toClauses(sentence);
  const { wanted, reasons } = splitWish(sentence);
  const wish = standingWishOf(expand(wanted), message.content);
  if (wish === null) return toClauses(sentence);
  return [{ text: wish, isQuestion: false }, ...reasons.flatMap((reason) => toClauses(reason))];
}

/** What a message states; an empty list after each sentence, where whoever reads can pause. */
function* readMessage(told: Told): Generator<RawCandidate[]> {
  const people: Person[] = [];
  for (const [index, sentences] of told.paragraphs.entries()) {
    const readings: Reading[] = [];
    for (const sentence of sentences) {
      for (const clause of clausesOf(sentence, told)) {
        const reading = readClause(clause, told, people);
        if (reading !== null) readings.push(reading);
        const isKnown = told.social || reading !== null;
        people.push(...peopleIn(clause.text).map((person) => ({ ...person, isKnown })));
      }
      yield [];
    }
    yield toItems(readings, index === 0 ? told : { ...told, topic: null });
  }
}

function* readMessages(
  messages: readonly TranscriptMessage[],
  options: ExtractOptions,
): Generator<RawCandidate[]> {
  const { speaker = 'The user', keepsOwnWords = true } = options;
  const mentioned: Mentioned = { title: null };
  for (const told of readConversation(messages, { speaker, keepsOwnWords })) {
    if (told.language === 'en') yield* readMessage(told);
    else if (told.language === 'zh') yield* readChinese(told, mentioned);
    else yield* readElsewhere(told, told.language);
  }
}

function toReply(found: readonly RawCandidate[]): string {
  const items = found.filter((item) => textWidth(item.content ?? '') >= MIN_CONTENT_WIDTH);
  const seen = new Set<string>();
  // What another message says again counts as said then.
  const distinct = items.filter((item) => {
    const identity = JSON.stringify([item.key, item.value, item.content, item.messageIds]);
    if (seen.has(identity)) return false;
    seen.add(identity);
    return true;
  });
  return serializeReply(distinct);
}

/**
 * Finds lasting statements in the user messages by rules, without a model, and returns them as a reply in
 * the format of `parseReply`, so that they are pinned, parsed and planned like a model's answer. Attributes
 * with a key are facts; what else a paragraph tells is merged into one note. Statements are about the user in
 * the third person (or about `name`, where messages carry one), relative dates are written out against the
 * message's `createdAt` in UTC. Among speakers with names, an answer carries what its question asked.
 * Deterministic; never throws.
 */
export function extractFromMessages(
  messages: readonly TranscriptMessage[],
  options: ExtractOptions = {},
): string {
  return toReply([...readMessages(messages, options)].flat());
}

/** A turn of the event loop goes to others after so long: 8,000 characters take a few hundred milliseconds. */
const TURN_MS = 10;

/** The same, letting others have their turn between sentences. */
export async function extractInTurns(
  messages: readonly TranscriptMessage[],
  options: ExtractOptions & { signal?: AbortSignal } = {},
): Promise<string> {
  const found: RawCandidate[] = [];
  let since = performance.now();
  for (const items of readMessages(messages, options)) {
    found.push(...items);
    if (performance.now() - since < TURN_MS) continue;
    await setImmediate();
    options.signal?.throwIfAborted();
    since = performance.now();
  }
  return toReply(found);
}
