import { ACKNOWLEDGEMENT_WORDS } from './acknowledgement.ts';
import { STOPWORDS } from './stopwords.ts';

/** A text of more words is a sentence. */
const MAX_WORDS = 7;
const MAX_CHARACTERS = 12;

/** Words that may stand inside a topic, among its first three: "the trip to Lisbon". */
const OPENING = new Set(['the', 'a', 'about']);
const LINKING = new Set(['of', 'to', 'for', 'in', 'on', 'at', 'and', 'with', 'from', 'by', ...OPENING]);

/** Acknowledgement words that can also name something. */
const NAMING_TOO = new Set(['best', 'next', 'morning', 'evening', 'night', 'later', 'welcome']);

/** Words of small talk, remarks about an answer, instructions for it and shells. */
const SMALL_TALK: ReadonlySet<string> = new Set(
  `asdf qwerty foo bar baz blah meh ugh argh yikes wtf test tests testing boring bored funny weird strange odd crazy
  sad happy tired sleepy hungry thirsty busy sick warm cold hot chilly rain raining rainy snowing sunny windy cloudy
  weather outside today day flies fun luck job stuff thing things one ones work way point question idea start starting
  keep going long longer short shorter bigger smaller louder faster slower simpler simple better worse less formal casual
  detailed brief briefly wrong correct incorrect false typo repeat retry redo undo rewrite rephrase translate shorten
  expand elaborate explain simplify clarify proceed finish begin quit exit clear help danke merci gracias ciao hola
  bonjour git npm npx pnpm yarn docker kubectl sudo cd ls cat curl pip python node make brew apt`.split(
    /\s+/,
  ),
);

const CHINESE_SMALL_TALK =
  /天气|下雨|下雪|无聊|有趣|好玩|好笑|搞笑|开心|难过|累|困|饿|渴|测试|一点|一下|一遍|一次|[了啊呀吧哦呢嘛吗啦哈嘿]$|^(?:好|太|真|很|非常|再|换|用|别|不|没|请|快|慢|今天|哈|嗯)/u;

/**
 * Whether a short text names a topic and nothing else, as in a search box: "favourite tea", "trip to Lisbon", "过敏".
 * It has no pronouns, auxiliaries and sentence punctuation, and at least one word that could be in a memory.
 *
 * @param text lower-case
 */
export function isTopic(text: string): boolean {
  if (/[^\p{L}\p{M}\p{N}\s'’,&/-]/u.test(text)) return false;
  const han = text.match(/\p{Script=Han}/gu)?.length ?? 0;
  if (han > 0 && (han < 2 || han > MAX_CHARACTERS || CHINESE_SMALL_TALK.test(text))) return false;
  const words = text.match(/[\p{L}\p{M}\p{N}'’]+/gu) ?? [];
  if (words.length > MAX_WORDS) return false;
  const [first = ''] = words;
  if (LINKING.has(first) && !OPENING.has(first)) return false;
  const naming = words.filter((word) => !LINKING.has(word));
  return naming.some((word) => /\p{L}{2}/u.test(word)) && naming.every(mayName);
}

function mayName(word: string): boolean {
  if (STOPWORDS.has(word) || SMALL_TALK.has(word)) return false;
  return NAMING_TOO.has(word) || !ACKNOWLEDGEMENT_WORDS.has(word);
}
