import { japanese, korean, polish, russian, turkish, ukrainian } from './eastern.ts';
import { dutch, german, swedish } from './germanic.ts';
import { type Language, setOf } from './language.ts';
import { french, italian, portuguese, spanish } from './romance.ts';

/** Languages whose words are separated by blanks, told apart by frequent words. */
const BY_WORDS: readonly Language[] = [
  german,
  dutch,
  swedish,
  spanish,
  french,
  portuguese,
  italian,
  polish,
  russian,
  ukrainian,
  turkish,
];

const ENGLISH = setOf(
  `the and is are was were to of i my a an in that it for you with on have has had do does not be at this but what can
   how me we am from just so or as if they he she his her our your about there will would could please im ive dont`,
);

/** What is looked at of a message to tell its language. */
const MAX_LOOKED_AT = 2_000;
/** Frequent words, and letters of its own; fewer may be chance: "El Niño". */
const MIN_SIGNS = 2;

const KANA = /[\p{Script=Hiragana}\p{Script=Katakana}]/gu;
const HANGUL = /\p{Script=Hangul}/gu;
const LATIN_WORD = /\p{Script=Latin}{1,100}/gu;

/** The languages in which a word is frequent. */
const languagesOf = new Map<string, Language[]>();
for (const language of BY_WORDS) {
  for (const word of language.common) languagesOf.set(word, [...(languagesOf.get(word) ?? []), language]);
}

/** Whether a text is written in a script: more of its characters than words in Latin letters. */
const isIn = (text: string, script: RegExp): boolean =>
  (text.match(script)?.length ?? 0) > (text.match(LATIN_WORD)?.length ?? 0);

/** The language of a message that is not in Chinese; null where it is English, unknown, or too short to tell. */
export function tellLanguage(content: string): Language | null {
  const text = content.slice(0, MAX_LOOKED_AT);
  if (isIn(text, KANA)) return japanese;
  if (isIn(text, HANGUL)) return korean;
  const lower = text.toLowerCase();
  let english = 0;
  const counts = new Map(
    BY_WORDS.map((language) => [language, Number(language.letters?.test(lower) === true)]),
  );
  for (const word of lower.match(/\p{L}{1,100}/gu) ?? []) {
    if (ENGLISH.has(word)) english += 1;
    for (const language of languagesOf.get(word) ?? []) counts.set(language, (counts.get(language) ?? 0) + 1);
  }
  const [best] = [...counts].toSorted(([, a], [, b]) => b - a);
  return best === undefined || best[1] < MIN_SIGNS || best[1] <= english ? null : best[0];
}
