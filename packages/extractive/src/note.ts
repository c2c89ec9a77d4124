import type { Category } from './rule.ts';
import type { Statement } from './statements.ts';
import type { Topic } from './topic.ts';
import { startsWithName, type Speaker } from './third-person.ts';

/** A clause that was read: a sentence about its speaker, and what it states. */
export type Reading = {
  /** In the third person, dates written out. */
  sentence: string;
  /** ISO 8601 day of the first date, if any. */
  date: string | null;
  /** Statements with a key of their own. */
  keyed: readonly Statement[];
  category: Category;
  /** Whether a rule knows what it states. */
  known: boolean;
  /** Whether it is kept in the user's own words, because no rule reads it. */
  ownWords: boolean;
  /** Whether a note may be made for its sake; without, it is only kept beside one that may. */
  opens: boolean;
  /** How many of its words say something. */
  words: number;
  /** Answers what somebody else told. */
  reacts: boolean;
  /** What the user wants of every reply. */
  standing: boolean;
};

/** Who tells, and the question that is answered. */
export type Teller = { speaker: Speaker; social: boolean; topic: Topic | null; names: ReadonlySet<string> };

/** Sentences of one paragraph that are kept as one memory. */
export type Note = {
  content: string;
  category: Category;
  date: string | null;
  known: boolean;
  /** The question it answers, where its content says so. */
  topic: Topic | null;
  /** What the user wants of every reply. */
  standing?: boolean;
};

/** More of a paragraph than this is a memory of its own. */
const MAX_NOTE_CHARACTERS = 400;

/** Among people, a paragraph that tells this much is kept though it does not name its speaker. */
const MIN_WORDS = 4;

function isNamed(sentence: string, name: string): boolean {
  return sentence.toLowerCase().includes(name.toLowerCase());
}

/** The text of a note: under what it answers, and with its speaker's name in it. */
function contentOf(sentences: readonly string[], { speaker, topic, names }: Teller): string {
  const text = sentences.join(' ');
  const asked = topic === null ? '' : `${topic.text} `;
  if (isNamed(asked + text, speaker.inside)) return (asked + text).trim();
  const isName = names.has(/^\p{L}*/u.exec(text)?.[0] ?? '') || startsWithName(text);
  const start = isName ? text : `${text.charAt(0).toLowerCase()}${text.slice(1)}`;
  return `${asked}According to ${speaker.inside}, ${start}`;
}

function noteOf(readings: readonly Reading[], teller: Teller): Note {
  return {
    content: contentOf([...new Set(readings.map(({ sentence }) => sentence))], teller),
    category: readings.find(({ opens, category }) => opens && category !== 'other')?.category ?? 'other',
    date: readings.find(({ date }) => date !== null)?.date ?? null,
    known: readings.some(({ known }) => known),
    topic: teller.topic,
    standing: readings.some(({ standing }) => standing),
  };
}

/** Begins with a word that stands for something said before. */
const DANGLING =
  /^(?:It(?!(?: took| has been|'s been) )|They|They've|They're|He|She|That|That's|This|These|Those|Them)\b/;

function isKept(readings: readonly Reading[], { social, topic }: Teller): boolean {
  const standsAlone = topic !== null || readings.some(({ sentence }) => !DANGLING.test(sentence));
  if (standsAlone && readings.some(({ opens }) => opens)) return true;
  const words = readings.reduce(
    (sum, reading) => sum + (reading.reacts ? reading.words / 2 : reading.words),
    0,
  );
  return social && (words >= MIN_WORDS || topic !== null);
}

/** Merges what a paragraph tells into self-contained notes; none when nothing in it is worth one. */
export function toNotes(readings: readonly Reading[], teller: Teller): Note[] {
  const groups: Reading[][] = [];
  let length = 0;
  for (const reading of readings) {
    const group = groups.at(-1);
    length += reading.sentence.length + 1;
    if (group === undefined || length > MAX_NOTE_CHARACTERS) {
      groups.push([reading]);
      length = reading.sentence.length;
    } else group.push(reading);
  }
  const kept = groups.filter((group) => isKept(group, teller));
  // A bare yes or no states what was asked.
  if (kept.length === 0 && teller.topic?.complete === true) return [noteOf([], teller)];
  return kept.map((group, index) => noteOf(group, index === 0 ? teller : { ...teller, topic: null }));
}
