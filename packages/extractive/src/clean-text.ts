import { stripInvisible } from '@factmill/contracts';
import { languageModel } from './language.ts';

/** Longer messages are documents; their beginning is read. */
export const MAX_MESSAGE_CHARACTERS = 8_000;

/** Stands for a quotation: a clause with it says what somebody else said, and is refused. */
export const QUOTATION = '\uFFFC';

const FENCED_CODE = /```[\s\S]*?(?:```|$)/g;
const INLINE_CODE = /`[^`\n]{1,400}`/g;
/** Inline code that only names something: a file, a package, a function. */
const INLINE_NAME = /`([\p{L}\p{N}_.-]{1,40}|[\p{L}\p{N}_.]{1,40}\(\))`/gu;
const QUOTED_LINE = /^[ \t]*>.*$/gm;
const BULLET = /^[ \t]*(?:[-*•‣]|\d{1,3}[.)])[ \t]+/gm;
const QUOTED = /["“]([^"“”\n]{1,400})["”]/g;
const SPOKEN = /(?:^|\s)(?:I|you|we|he|she|they|my|your|our|me)(?:[\s',.]|$)/i;
/** A pictograph between two sentences stands for the full stop. */
const PICTOGRAPHS_BETWEEN =
  /(?<=[\p{L}\p{N}])[^\S\n]{0,4}(?:\p{Extended_Pictographic}|\u{FE0F}|\u{200D}){1,40}[^\S\n]{0,4}(?=\p{Lu})/gu;
const PICTOGRAPH = /\p{Extended_Pictographic}|[\u{1F1E6}-\u{1F1FF}]|\u{FE0F}|\u{200D}/gu;

const KIND_OF_TEXT =
  '(?:grammar|spelling|punctuation|tone|wording|sentences?|paragraphs?|texts?|e-?mails?|essays?|letters?|messages?|articles?|passages?|abstract|poems?|story|speech|drafts?|following|this|(?:in)?to [A-Z]\\p{Ll}{2,15})';
/** "Fix the grammar: ...", "here's my essay: ...": what follows is a text to work on. Behind "Edit:" comes a fact. */
const GIVEN_TEXT = new RegExp(
  `(?<=^|[.!?\\n] ?)(?:(?:[Pp]lease|[Cc]an you|[Cc]ould you|[Hh]elp me|[Nn]ow|[Aa]lso) ){0,2}(?:(?:[Pp]roofread|[Tt]ranslate|[Rr]ewrite|[Rr]ephrase|[Pp]araphrase|[Ss]ummari[sz]e)|(?:[Ff]ix|[Cc]orrect|[Pp]roofread|[Tt]ranslate|[Rr]ewrite|[Rr]ephrase|[Pp]araphrase|[Ss]ummari[sz]e|[Ee]dit|[Ii]mprove|[Pp]olish|[Ss]horten|[Cc]ritique|[Gg]rade|[Cc]ontinue)(?: [\\p{L}'-]{1,20}){0,6}? ${KIND_OF_TEXT}(?: [\\p{L}'-]{1,20}){0,4}|[Hh]ere(?:'s| is) (?:my|the|an?) (?:[\\p{L}-]{1,20} ){0,2}(?:essay|draft|letter|poem|story|article|speech|abstract|paragraph|email))\\s?:\\s{0,4}\\S[\\s\\S]*$`,
  'u',
);

const SENTENCE_ENDS = ['. ', '! ', '? ', '\n', '。', '！', '？'];

/** Cuts at the last sentence end within the limit, or, without one, at the last blank. */
function cut(text: string): string {
  if (text.length <= MAX_MESSAGE_CHARACTERS) return text;
  const head = text.slice(0, MAX_MESSAGE_CHARACTERS);
  const end = Math.max(...SENTENCE_ENDS.map((mark) => head.lastIndexOf(mark)));
  return head.slice(0, end > 0 ? end + 1 : Math.max(head.lastIndexOf(' '), 0));
}

/** The user's own prose: without code, quoted lines, texts to work on, quotations of speech, bullets and pictographs. */
export function toProse(content: string): string {
  return stripInvisible(cut(content).toWellFormed())
    .replaceAll(FENCED_CODE, '\n')
    .replaceAll(INLINE_NAME, '$1')
    .replaceAll(INLINE_CODE, QUOTATION)
    .replaceAll(QUOTED_LINE, '')
    .replaceAll(/[‘’ʼ]/g, "'")
    .replace(GIVEN_TEXT, '')
    .replaceAll(QUOTED, (whole, inner: string) => (SPOKEN.test(inner) ? QUOTATION : whole))
    .replaceAll(BULLET, '')
    .replaceAll(PICTOGRAPHS_BETWEEN, '. ')
    .replaceAll(PICTOGRAPH, ' ')
    .replaceAll(/(?<!\.)(?:\.{2,}|…)(?=\s{1,4}[\p{Lu}])/gu, '.')
    .replaceAll(/[^\S\n]+/g, ' ');
}

/** Sentences of a message's prose by paragraph (line), in order, blanks collapsed. */
export function toParagraphs(content: string): string[][] {
  return toProse(content)
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => toSentences(line));
}

function toSentences(line: string): string[] {
  const sentences: unknown = languageModel().tokenize(line).out('array');
  if (!Array.isArray(sentences)) return [];
  return sentences
    .map((sentence) => String(sentence).replaceAll(/\s+/g, ' ').trim())
    .filter((sentence) => sentence.length > 3);
}
