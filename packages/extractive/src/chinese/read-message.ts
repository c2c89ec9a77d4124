import type { Told } from '../conversation.ts';
import { grouped } from '../grouped.ts';
import type { Note } from '../note.ts';
import { readSentence, type Read } from './read-sentence.ts';
import { recommendationOf } from './recommendation.ts';
import { mentionsChineseSecret, TASK } from './refusals.ts';
import { toSimplified } from './script.ts';
import { nicknameOf, standingWishOf } from './standing-wish.ts';
import type { ChineseStatement } from './statements.ts';
import { toThirdPerson } from './third-person.ts';
import { type Voice, voiceOf } from './voice.ts';

/** An attribute with a key, and the sentence that says so. */
type ChineseFact = Pick<ChineseStatement, 'category' | 'value'> & {
  key: string;
  content: string;
  date: string | null;
};
/** What a paragraph states. */
export type ChineseReading = { facts: ChineseFact[]; notes: Note[] };

/** What was told of before, by the messages read so far: `这部电影` is it. */
export type Mentioned = { title: string | null };

/** More of a paragraph than this is a memory of its own. */
const MAX_NOTE_CHARACTERS = 240;

/** A work that was named before. */
const THE_WORK =
  /^(?<before>(?:我觉得|我认为|其实|而且|不过)?)[这那该](?:部|本|首|篇|场|个|出|款)(?<work>电影|影片|片子|小说|书|歌曲?|曲子|电视剧|剧|动漫|动画片?|游戏|节目|作品|纪录片|综艺|漫画|专辑)(?!《)/;
const TITLE = /《[^《》]{1,40}》/g;

const toIsoDay = (date: string | null): string | null =>
  date === null ? null : `${date}-01-01`.slice(0, 10);

function dateOf(reads: readonly Read[]): string | null {
  const dated = reads.flatMap(({ clauses }) => clauses).find(({ date }) => date !== null);
  return toIsoDay(dated?.date ?? null);
}

/** Whether a clause is a fact of its own in its sentence, and no part of a note. */
function isOwnFact({ statements }: Read, sentence: readonly Read[]): boolean {
  const tellsMore = sentence.some(
    ({ opens, statements: others }) => opens && others.every(({ key }) => key === null),
  );
  return statements.some(({ key, soft }) => key !== null && (!soft || !tellsMore));
}

function factsOf(read: Read, voice: Voice): ChineseFact[] {
  return read.statements.flatMap(({ category, key, value, content }) => {
    const sentence = content ?? toThirdPerson(read.clauses, { ...voice, isOwn: true });
    return key === null || sentence === ''
      ? []
      : [{ category, key, value, content: sentence, date: dateOf([read]) }];
  });
}

function noteOf(sentences: readonly (readonly Read[])[], voice: Voice): Note | null {
  const text = sentences
    .map((reads) =>
      toThirdPerson(
        reads.flatMap(({ clauses }) => clauses),
        { ...voice, isOwn: reads[0]?.isOwn === true },
      ),
    )
    .join('');
  if (text === '') return null;
  const reads = sentences.flat();
  const stated = reads.flatMap(({ statements }) => statements);
  return {
    content: text.includes(voice.speaker) ? text : `据${voice.speaker}说，${text}`,
    category: stated[0]?.category ?? 'other',
    date: dateOf(reads),
    known: stated.length > 0,
    topic: null,
  };
}

/** Whether a rule reads something of a sentence. */
const isRead = (sentence: readonly Read[]): boolean =>
  sentence.some(({ statements }) => statements.length > 0);

const charactersOf = (reads: readonly Read[]): number =>
  reads.flatMap(({ clauses }) => clauses).reduce((sum, { text }) => sum + text.length + 1, 0);

/** Notes of what a paragraph tells beside its facts; what no rule reads is kept apart, in the user's own words. */
function notesOf(sentences: readonly (readonly Read[])[], voice: Voice): Note[] {
  const rest = sentences
    .map((reads) => reads.filter((one) => !isOwnFact(one, reads)))
    .filter((reads) => reads.length > 0);
  const isKnown = rest.map((reads, index) => {
    const opened = rest.slice(0, index + 1).findLast((one) => one.some(({ opens }) => opens));
    return isRead(opened ?? reads);
  });
  const groups = [true, false].flatMap((known) =>
    grouped(
      rest.filter((_, index) => isKnown[index] === known),
      { lengthOf: charactersOf, maxLength: MAX_NOTE_CHARACTERS },
    ),
  );
  return groups.flatMap((group) => {
    const note = group.flat().some(({ opens }) => opens) ? noteOf(group, voice) : null;
    return note === null ? [] : [note];
  });
}

/** "作为素食者，我……" says who asks; "作为回报，我……" does not. */
const ROLE =
  /^作为(?:一[个名位])?(?<role>[^，,。]{0,10}(?:者|师|员|生|人|妈妈|爸爸|父亲|母亲|家长|护士|经理|老板|新手))[，,](?=我(?!们))/;

/** Puts the title of the work in the place of `这部电影`. */
function withTitle(sentence: string, { title }: Mentioned): { text: string; isMeant: boolean } {
  const work = THE_WORK.exec(toSimplified(sentence));
  if (work === null || title === null) return { text: sentence, isMeant: false };
  const { before = '', work: kind = '' } = work.groups ?? {};
  return { text: `${before}${kind}${title}${sentence.slice(work[0].length)}`, isMeant: true };
}

/** What a sentence asks of the assistant for good, or tells it to look at. */
function readWishes(sentence: string, voice: Voice): ChineseReading {
  const note = (content: string, standing: boolean): Note => ({
    content,
    category: 'preference',
    date: null,
    known: true,
    topic: null,
    standing,
  });
  if (voice.social) return { facts: [], notes: [] };
  const nickname = nicknameOf(sentence);
  if (nickname !== null) {
    const content = `${voice.speaker}希望被称为${nickname}。`;
    return {
      facts: [{ category: 'identity', key: 'nickname', value: nickname, content, date: null }],
      notes: [],
    };
  }
  const wish = standingWishOf(sentence, voice);
  const recommended = recommendationOf(sentence, voice);
  return {
    facts: [],
    notes: [
      ...(wish === null ? [] : [note(wish, true)]),
      ...(recommended === null ? [] : [note(recommended, false)]),
    ],
  };
}

function readParagraph(sentences: readonly string[], voice: Voice, mentioned: Mentioned): ChineseReading {
  const found: ChineseReading = { facts: [], notes: [] };
  const read: Read[][] = [];
  for (const sentence of sentences) {
    const wishes = readWishes(sentence, voice);
    found.facts.push(...wishes.facts);
    found.notes.push(...wishes.notes);
    const { text, isMeant } = withTitle(sentence.replace(ROLE, '我是$<role>，'), mentioned);
    const isWish = wishes.facts.length > 0 || standingWishOf(sentence, voice) !== null;
    const reads = isWish && !voice.social ? [] : readSentence(text, voice, isMeant);
    if (reads.length > 0) read.push(reads);
    found.facts.push(...reads.filter((one) => isOwnFact(one, reads)).flatMap((one) => factsOf(one, voice)));
    mentioned.title = sentence.match(TITLE)?.at(-1) ?? mentioned.title;
  }
  found.notes.push(...notesOf(read, voice));
  return found;
}

/**
 * What a message in Chinese states, by paragraph: attributes with keys, and one note of the rest in the user's own
 * words. Sentences are about the user (`用户`, or the speaker's name), dates are written out.
 */
export function* readChineseMessage(told: Told, mentioned: Mentioned): Generator<ChineseReading> {
  const voice = voiceOf(told);
  for (const sentences of told.paragraphs) {
    if (sentences.some((sentence) => mentionsChineseSecret(toSimplified(sentence)))) continue;
    // A text to work on follows, and is not the user's own.
    const task = sentences.findIndex((sentence) => TASK.test(toSimplified(sentence)));
    yield readParagraph(task < 0 ? sentences : sentences.slice(0, task), voice, mentioned);
    if (task >= 0) return;
  }
}
