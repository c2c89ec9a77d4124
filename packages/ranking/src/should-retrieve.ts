import { isAcknowledgement } from './acknowledgement.ts';
import { isTopic } from './topic.ts';

/** Why a message is searched for in the memory, or why not. */
type GateReason =
  | 'empty'
  | 'acknowledgement'
  | 'code'
  | 'memory_word'
  | 'question'
  | 'personal'
  | 'request'
  | 'topic'
  | 'chatter'
  | 'statement';

export type GateDecision = Readonly<{ retrieve: boolean; reason: GateReason }>;

const SKIPPING: ReadonlySet<GateReason> = new Set(['empty', 'acknowledgement', 'code', 'chatter']);

/**
 * Only this much of a long message's beginning and of its end is read: the question stands before or after a paste.
 */
const END_CHARACTERS = 4_000;

/**
 * Whether a chat message is worth a search of the memory (C8). Acknowledgements, code and chatter are not.
 * Questions, words about remembering, bare topics, and messages about the user or with a request are. English and
 * Chinese.
 */
export function shouldRetrieve(text: string): GateDecision {
  const reason = reasonOf(endsOf(text).normalize('NFKC').trim().toLowerCase());
  return { retrieve: !SKIPPING.has(reason), reason };
}

function endsOf(text: string): string {
  return text.length <= 2 * END_CHARACTERS
    ? text
    : `${text.slice(0, END_CHARACTERS)}\n${text.slice(-END_CHARACTERS)}`.toWellFormed();
}

function reasonOf(whole: string): GateReason {
  if (whole === '') return 'empty';
  const prose = withoutCode(whole);
  if (MEMORY_WORDS.test(prose)) return 'memory_word';
  if (isAcknowledgement(prose)) return whole === prose ? 'acknowledgement' : 'code';
  if (prose !== whole && weightOf(prose) < weightOf(whole) / 3) return 'code';
  if (ABOUT_THE_ASSISTANT.test(prose)) return 'chatter';
  if (QUESTION.test(prose)) return 'question';
  if (PERSONAL.test(prose)) return 'personal';
  if (REQUEST.test(prose)) return 'request';
  if (isTopic(prose)) return 'topic';
  return weightOf(prose) >= STATEMENT_WEIGHT ? 'statement' : 'chatter';
}

/** Weight in words, with half a word per Chinese character. A shorter statement is not worth a search. */
const STATEMENT_WEIGHT = 8;

function weightOf(text: string): number {
  const characters = text.match(/\p{Script=Han}/gu)?.length ?? 0;
  return (text.match(/[\p{L}\p{N}']+/gu)?.length ?? 0) + characters / 2;
}

const CODE_LINE =
  /^(?:[$>#] |at \S+[ (]|(?:import|export|const|let|var|function|class|def|return|public|private|#include|select|insert|update|delete|traceback|from \S+ import)\b.*[;:({}=,*]|[}\])];?,?$|<\/?\w+(?:[^\w>][^>]*)?>|[\w.]+\(.*\);?$|.*[;{]$|"[\w$-]+": )/;

/** The text without fenced blocks, and without lines of code when there are several. */
function withoutCode(text: string): string {
  const unfenced = text.replace(/```[\s\S]*?(?:```|$)/g, ' ').trim();
  const lines = unfenced.split('\n');
  const prose = lines.filter((line) => !CODE_LINE.test(line.trimStart()));
  return lines.length - prose.length >= 2 || (lines.length === 1 && prose.length === 0)
    ? prose.join('\n').trim()
    : unfenced;
}

const MEMORY_WORDS =
  /\b(?:remember|recall|remind|memory|memories|forg[eo]t(?:ten)?|last (?:time|week|month|year|night|session)|previous(?:ly)?|earlier|before we|we (?:talked|spoke|discussed|agreed|decided|chatted)|i (?:told|mentioned|said|asked)|you (?:said|told|mentioned|suggested|recommended)|as (?:i|we) (?:said|discussed|agreed)|same as (?:before|last)|as usual|the usual|again as)\b|记得|记住|记忆|回忆|忘了|忘记|上次|上回|上周|上个月|之前|以前|从前|先前|曾经|刚才说|说过|提过|提到过|聊过|告诉过|讨论过|老样子|照旧/u;

/** Questions and remarks about the assistant or about nothing. */
const ABOUT_THE_ASSISTANT =
  /^(?:(?:hi|hello|hey)\b[ ,!]*)?(?:how (?:are|r) (?:you|u)(?: doing| today)*|how's it going|what'?s up|who (?:are|made|created) you|are you (?:there|ok|okay|an? (?:ai|bot|robot|human)|real|serious|sure|kidding)|really|seriously|is that so|right|is anyone there|can you hear me|what can you do|你好吗|你是谁|你在吗|在吗|真的吗|是吗|是嘛|你是机器人吗|你确定吗|吃了吗|对吧|好吗|行吗|怎么了|干嘛呢?)\s*[?!.。!~]*$/u;

const QUESTION =
  /\?|^(?:so |and |but |ok(?:ay)?,? |hey,? |please )*(?:who|whom|whose|what|what's|when|where|where's|which|why|how|is|are|am|was|were|do|does|did|can|could|should|would|will|shall|may|might|have|has|any (?:idea|chance|tips?))\b|\b(?:tell me|i wonder|let me know|do you know|not sure (?:if|whether|how|what))\b|吗|呢|什么|怎么|怎样|为什么|为何|哪|谁|几点|几个|几岁|多少|多大|多久|如何|是否|能不能|可不可以|有没有|是不是|要不要|该不该/u;

const PERSONAL =
  /\b(?:my|mine|myself|our|ours)\b|\bi(?:'m| am|'ve| have|'d| had) (?!ok|okay|fine|good|back|here|done|sorry)|\bi (?:like|love|hate|prefer|want|need|live|work|moved|bought|feel|used to|usually|always|never)\b|我的|我们的|我家|我爸|我妈|我(?:喜欢|讨厌|想要|需要|住|在.*工作|搬|买|觉得|打算|计划|过敏|习惯|不吃|不喝)/u;

const REQUEST =
  /\b(?:recommend|suggest|advise|advice|plan|schedule|book|order|find|help me|write (?:me|a|an|the)|draft|prepare|make (?:me|a|an)|create|compare|summari[sz]e|continue|pick up|update|change|cancel|give me|show me|list)\b|推荐|建议|帮我|给我|安排|计划|预订|预定|订(?:一|个|张)|继续|总结|比较|修改|更新|取消|写(?:一|个|封|份)|列出|提醒/u;
