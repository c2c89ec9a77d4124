import { QUOTATION } from '../clean-text.ts';
import { toSimplified } from './script.ts';
import type { Voice } from './voice.ts';

/** Longer sentences are pasted. */
const MAX_SENTENCE_CHARACTERS = 100;

const OPENING = /^(?:请|麻烦|好的|另外|还有|对了|记住|请记住|以后|[你您](?!的)|[，,：:\s]){0,4}/;
const FOR_GOOD =
  /以后|今后|往后|从(?:现在|今天)(?:开始|起)|每次|每当|总是|始终|永远|一律|任何时候|一直|(?:回答|回复|推荐|给我|提到|问|说|写|聊到|谈到)[^，]{0,16}(?:时|的时候)/;
/** How replies should be. */
const MANNER =
  /(?:请|要|不要|别|勿|不用|必须|都|只|尽量)[^，]{0,12}(?:用|使用|回答|回复|称呼|叫[我她他]|推荐|给出|提供|附上|列出|标注|注明|避免|提醒|考虑|按|说|写|带|加上|举例|包含|简短|简洁|详细|表情|讲|提|先给|先说|先问|纠正|改正|检查|确认)|帮我(?:改|纠正|检查)/;
/** What a request begins with; other sentences tell something. */
const BEGINS =
  /^(?:请|要|不要|别|勿|用|都|每次|每当|当我|以后|今后|往后|从|叫|避免|保持|尽量|只|始终|永远|一律|总是|任何时候|一直|所有|回答|回复|推荐|给我|在(?:回答|回复)|提到|聊到|谈到|写|和我|跟我|可以|不用|不必|无需|我(?:问|说|提|让|要求|希望|聊|谈))/;
const BY_ITSELF =
  /^(?:请|麻烦)?(?:不要|别|勿)(?:再)?(?:(?:给|跟|向|对|和)我(?:推荐|提|说|用|发|讲)|叫我)|^[和跟]我(?:说话|交流|聊天|沟通)[^，]{0,6}(?:请|要|用|别|直接|简单|温柔|客气|随意|正式|耐心|慢)|^(?:请|麻烦)(?:你)?(?:都|尽量|只|一直)?用[^，]{1,12}(?:回答|回复|跟我|和我|交流)|^从(?:现在|今天)(?:起|开始)[，]?(?:请)?用[^，]{1,12}(?:回答|回复|跟我|和我|交流)|^(?:你的|您的|所有的?)?(?:回答|回复)(?:里|中|的时候|时)?(?:请|都|要|尽量|不要|别|得|应该)|^(?:请|麻烦)?(?:一律|始终|总是|永远)用|^[你您](?:可以|不用|不必|无需)(?:跳过|省略|省去|解释|说明|介绍)[^，]{1,20}$/;
/** "每天早上提醒我吃药". */
const REMINDED = /^(?:请|麻烦)?(?:每(?:天|日|晚|周|个?月|年|隔)|隔天|定期)[^，]{0,8}提醒我./;
/** "我喜欢你先给结论". */
const OF_ASSISTANT = /^我(?:很|更|最|比较|不|不太)?(?:喜欢|讨厌|反感)[你您](?!们)[^，。]{3,}/;

/** What a user wants of every reply, as a sentence about them: "以后别用表情符号" → "用户要求：别用表情符号。" Null for other sentences. */
export function standingWishOf(sentence: string, { speaker }: Voice): string | null {
  const simplified = toSimplified(sentence);
  if (sentence.length > MAX_SENTENCE_CHARACTERS || /[?？吗]|https?:/.test(simplified)) return null;
  if (sentence.includes(QUOTATION)) return null;
  if (OF_ASSISTANT.test(simplified)) return `${aboutBoth(sentence, speaker)}。`;
  const isForGood = FOR_GOOD.test(simplified) && MANNER.test(simplified);
  const saysItself = BY_ITSELF.test(simplified) || REMINDED.test(simplified);
  if (!isForGood && !saysItself) return null;
  // "我每次都要…" tells a habit.
  if (/^(?:我|我们)(?!问|说|提|让|要求|希望|聊|谈)/.test(simplified)) return null;
  const opening = OPENING.exec(simplified)?.[0].length ?? 0;
  const begins = [simplified, simplified.slice(opening)].some((text) => BEGINS.test(text));
  if (!begins && !saysItself) return null;
  return `${speaker}要求：${aboutBoth(sentence.slice(opening), speaker)}。`;
}

/** Without the full stop, and with names for who speaks and who is spoken to. */
function aboutBoth(wish: string, speaker: string): string {
  const said = wish.replace(/[\s。！!.~～]{1,6}$/, '');
  return said.replaceAll('我', speaker).replaceAll(/[你您]/g, '助手');
}

/** "叫我小雪就行": what the user is to be called. Pronouns are no names. */
const CALLED =
  /^(?:你|您|大家|朋友们?|以后|可以|都|请|就|也可以|直接|，){0,5}(?:叫|称呼|喊)我(?<name>(?:(?![我你您])[\p{Script=Han}A-Za-z]){1,10}?)(?:就行|就好|即可|吧|就可以|好了|就行了|就好了|就可以了)?[。！!.~～\s]{0,4}$/u;

export function nicknameOf(clause: string): string | null {
  return CALLED.exec(toSimplified(clause))?.groups?.['name'] ?? null;
}
