import type { Told } from '../conversation.ts';
import { grouped } from '../grouped.ts';
import type { Note } from '../note.ts';
import { MARKUP, mentionsSecret } from '../refusals.ts';
import { type Language, SECRET_ELSEWHERE, SPEAKS_OF_ASSISTANTS } from './language.ts';

/** More of a paragraph than this is a memory of its own. */
const MAX_NOTE_CHARACTERS = 240;
/** Of a sentence; shorter ones say next to nothing. */
const MIN_WORDS = 4;
/** Words of a sentence that are not frequent in its language: those say what it is about. */
const MIN_CONTENT_WORDS = 2;
/** Where words are not separated by blanks, or are long: letters of a sentence. */
const MIN_LETTERS = 8;

/** The words before a colon. */
const LABEL = /^[^,.!]{1,60}[:：]/u;

/** The speaker as an object: "Kurz zu mir: …" introduces what they say of themselves. */
const OF_ME =
  /(?<!\p{L})(?:mir|mich|mij|me|mig|mim|moi|mí|mnie|sobie|себе|мне|мене|mi|hakkımda)(?!\p{L})|自己紹介|자기소개/iu;

/** Whether a text to work on, or what somebody else said, follows: "Übersetze: Ich wohne in Wien". */
function introduces(sentence: string, language: Language): boolean {
  const label = LABEL.exec(sentence)?.[0];
  if (label === undefined) return false;
  return isRefused(label, language) || !(OF_ME.test(label) || language.speaker.test(label));
}

/** Somebody's words, or a mark that stands for them. */
const QUOTED = /["“”„«»「」\uFFFC]/;

const isRefused = (text: string, language: Language): boolean =>
  QUOTED.test(text) ||
  [MARKUP, ...SPEAKS_OF_ASSISTANTS, ...language.refused].some((pattern) => pattern.test(text));

const holdsSecret = (text: string): boolean => mentionsSecret(text) || SECRET_ELSEWHERE.test(text);

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
  if (/[?？]\s*$/.test(sentence)) return false;
  const text = sentence.replace(/[.!。！．\s]{1,10}$/u, '');
  return language.speaker.test(text) && !isRefused(text, language) && saysEnough(text, language);
}

/**
 * What a message in a language without rules of its own states of its speaker, by paragraph: notes in the user's own
 * words, with the day on which they were said, because their relative dates are not read. Nothing is kept of a
 * paragraph that speaks of a secret, nor after a text to work on.
 */
export function* readInOwnWords(told: Told, language: Language): Generator<Note[]> {
  const { speaker, message, paragraphs } = told;
  if (!told.keepsOwnWords) return;
  const day = message.createdAt.toISOString().slice(0, 10);
  for (const sentences of paragraphs) {
    if (sentences.some((sentence) => holdsSecret(sentence))) continue;
    const task = sentences.findIndex((sentence) => introduces(sentence, language));
    const own = (task < 0 ? sentences : sentences.slice(0, task)).filter((sentence) =>
      statesSomethingIn(language, sentence),
    );
    const groups = grouped(own, { lengthOf: ({ length }) => length, maxLength: MAX_NOTE_CHARACTERS });
    yield groups.map((group) => ({
      content: `${speaker.start} said on ${day}: “${group.join(' ')}”`,
      category: 'other',
      date: null,
      known: false,
      topic: null,
    }));
    if (task >= 0) return;
  }
}
