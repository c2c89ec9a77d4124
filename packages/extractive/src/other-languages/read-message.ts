import { toProse } from '../clean-text.ts';
import type { Told } from '../conversation.ts';
import type { Note } from '../note.ts';
import { type Language, REFUSED_EVERYWHERE } from './language.ts';

/** More of a paragraph than this is a memory of its own. */
const MAX_NOTE_CHARACTERS = 240;
/** Of a sentence; shorter ones say next to nothing. */
const MIN_WORDS = 4;
/** Words of a sentence that are not frequent in its language: those say what it is about. */
const MIN_CONTENT_WORDS = 2;
/** Where words are not separated by blanks, or are long: letters of a sentence. */
const MIN_LETTERS = 8;

/** A text to work on, or what to do with it, stands before a colon: "Übersetze: Ich wohne in Wien". */
const LABEL = /^[^,.!]{1,60}[:：]\s?/u;

/** Whether a sentence says enough to be kept. */
function saysEnough(sentence: string, language: Language): boolean {
  const words = sentence.toLowerCase().match(/[\p{L}\p{N}]{1,100}/gu) ?? [];
  if (language.common.size === 0) return words.reduce((sum, { length }) => sum + length, 0) >= MIN_LETTERS;
  return (
    words.length >= MIN_WORDS &&
    words.filter((word) => !language.common.has(word)).length >= MIN_CONTENT_WORDS
  );
}

/** Whether a sentence states something of its speaker, as against what it asks, wishes or supposes. */
function statesSomethingIn(language: Language, sentence: string): boolean {
  // Languages end a statement with a full stop of one kind or another.
  const text = sentence.replace(/[.!。！．\s]{1,10}$/u, '');
  return (
    language.speaker.test(text) &&
    !LABEL.test(text) &&
    ![...REFUSED_EVERYWHERE, ...language.refused].some((pattern) => pattern.test(text)) &&
    saysEnough(text, language)
  );
}

function sentencesOf(line: string, { code }: Language): string[] {
  const segmenter = new Intl.Segmenter(code, { granularity: 'sentence' });
  return Array.from(segmenter.segment(line), ({ segment }) => segment.trim()).filter((text) => text !== '');
}

/** Sentences one after the other, as many as make a memory. */
function toGroups(sentences: readonly string[]): string[] {
  const groups: string[] = [];
  for (const sentence of sentences) {
    const group = groups.at(-1);
    if (group === undefined || group.length + sentence.length > MAX_NOTE_CHARACTERS) groups.push(sentence);
    else groups[groups.length - 1] = `${group} ${sentence}`;
  }
  return groups;
}

/**
 * What a message in a language without rules of its own states of its speaker, by paragraph: notes in the user's own
 * words, with the day on which they were said, because their relative dates are not read. A paragraph that speaks of
 * a secret, of assistants or of instructions is not kept; nothing after a text to work on is.
 */
export function* readInOwnWords(told: Told, language: Language): Generator<Note[]> {
  const { speaker, message } = told;
  if (!told.keepsOwnWords) return;
  const day = message.createdAt.toISOString().slice(0, 10);
  for (const line of toProse(message.content).split('\n')) {
    const sentences = sentencesOf(line, language);
    if (sentences.some((text) => REFUSED_EVERYWHERE.slice(1).some((pattern) => pattern.test(text)))) continue;
    const task = sentences.findIndex((text) => LABEL.test(text));
    const own = (task < 0 ? sentences : sentences.slice(0, task)).filter((text) =>
      statesSomethingIn(language, text),
    );
    yield toGroups(own).map((text) => ({
      content: `${speaker.start} said on ${day}: “${text}”`,
      category: 'other',
      date: null,
      known: false,
      topic: null,
    }));
    if (task >= 0) return;
  }
}
