/** Why a message is looked up in the memory, or why not. */
export type GateReason =
  | 'empty'
  | 'acknowledgement'
  | 'code'
  | 'memory_word'
  | 'question'
  | 'personal'
  | 'request'
  | 'chatter'
  | 'statement';

export type GateDecision = Readonly<{ retrieve: boolean; reason: GateReason }>;

const SKIPPING: ReadonlySet<GateReason> = new Set(['empty', 'acknowledgement', 'code', 'chatter']);

/**
 * Whether a message of a chat is worth a look into the memory (C8). Acknowledgements, code and chatter are not;
 * questions, words about remembering, and what is about the user or asks for something are. English and Chinese.
 */
export function shouldRetrieve(text: string): GateDecision {
  const reason = reasonOf(text.normalize('NFKC').trim().toLowerCase());
  return { retrieve: !SKIPPING.has(reason), reason };
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
  return weightOf(prose) >= STATEMENT_WEIGHT ? 'statement' : 'chatter';
}

/** Words, and Chinese characters as half a word each. A statement shorter than this has little to look for. */
const STATEMENT_WEIGHT = 8;

function weightOf(text: string): number {
  const characters = text.match(/\p{Script=Han}/gu)?.length ?? 0;
  return (text.match(/[\p{L}\p{N}']+/gu)?.length ?? 0) + characters / 2;
}

const CODE_LINE =
  /^\s*(?:[$>#] |at \S+[ (]|(?:import|export|const|let|var|function|class|def|return|public|private|#include|select|insert|update|delete|traceback|from \S+ import)\b.*[;:({}=,*]|[}\])];?,?$|<\/?\w+[^>]*>|[\w.]+\(.*\);?$|.*[;{]$|"[\w$-]+": )/;

/** The text without fenced blocks, and without lines that look like code when there are several. */
function withoutCode(text: string): string {
  const unfenced = text.replace(/```[\s\S]*?(?:```|$)/g, ' ').trim();
  const lines = unfenced.split('\n');
  const prose = lines.filter((line) => !CODE_LINE.test(line));
  return lines.length - prose.length >= 2 || (lines.length === 1 && prose.length === 0)
    ? prose.join('\n').trim()
    : unfenced;
}

const MEMORY_WORDS =
  /\b(?:remember|recall|remind|memory|memories|forg[eo]t(?:ten)?|last (?:time|week|month|year|night|session)|previous(?:ly)?|earlier|before we|we (?:talked|spoke|discussed|agreed|decided|chatted)|i (?:told|mentioned|said|asked)|you (?:said|told|mentioned|suggested|recommended)|as (?:i|we) (?:said|discussed|agreed)|same as (?:before|last)|as usual|the usual|again as)\b|记得|记住|记忆|回忆|忘了|忘记|上次|上回|上周|上个月|之前|以前|从前|先前|曾经|刚才说|说过|提过|提到过|聊过|告诉过|讨论过|老样子|照旧/u;

/** Questions and remarks that are about the assistant or nothing, however they are put. */
const ABOUT_THE_ASSISTANT =
  /^(?:(?:hi|hello|hey)\b[ ,!]*)?(?:how (?:are|r) (?:you|u)(?: doing| today)*|how's it going|what'?s up|who (?:are|made|created) you|are you (?:there|ok|okay|an? (?:ai|bot|robot|human)|real|serious|sure|kidding)|really|seriously|is that so|right|is anyone there|can you hear me|what can you do|你好吗|你是谁|你在吗|在吗|真的吗|是吗|是嘛|你是机器人吗|你确定吗|吃了吗|对吧|好吗|行吗|怎么了|干嘛呢?)\s*[?!.。!~]*$/u;

const QUESTION =
  /\?|^(?:so |and |but |ok(?:ay)?,? |hey,? |please )*(?:who|whom|whose|what|what's|when|where|where's|which|why|how|is|are|am|was|were|do|does|did|can|could|should|would|will|shall|may|might|have|has|any (?:idea|chance|tips?))\b|\b(?:tell me|i wonder|let me know|do you know|not sure (?:if|whether|how|what))\b|吗|呢|什么|怎么|怎样|为什么|为何|哪|谁|几点|几个|几岁|多少|多大|多久|如何|是否|能不能|可不可以|有没有|是不是|要不要|该不该/u;

const PERSONAL =
  /\b(?:my|mine|myself|our|ours)\b|\bi(?:'m| am|'ve| have|'d| had) (?!ok|okay|fine|good|back|here|done|sorry)|\bi (?:like|love|hate|prefer|want|need|live|work|moved|bought|feel|used to|usually|always|never)\b|我的|我们的|我家|我爸|我妈|我(?:喜欢|讨厌|想要|需要|住|在.*工作|搬|买|觉得|打算|计划|过敏|习惯|不吃|不喝)/u;

const REQUEST =
  /\b(?:recommend|suggest|advise|advice|plan|schedule|book|order|find|help me|write (?:me|a|an|the)|draft|prepare|make (?:me|a|an)|create|compare|summari[sz]e|continue|pick up|update|change|cancel|give me|show me|list)\b|推荐|建议|帮我|给我|安排|计划|预订|预定|订(?:一|个|张)|继续|总结|比较|修改|更新|取消|写(?:一|个|封|份)|列出|提醒/u;

const ACKNOWLEDGEMENT_WORDS: ReadonlySet<string> = new Set(
  `ok okay okey k kk yes yeah yep yup no nope nah sure thanks thank thx ty you u very much so a lot great good nice cool
  awesome perfect excellent wonderful amazing brilliant fine alright right got it gotcha understood i see makes sense
  done lol lmao haha hahaha hehe hi hello hey morning evening night bye goodbye see later wow oh ah hm hmm mm mhm uh huh
  np no problem never mind nvm sounds that's that is all for now works well exactly true agreed indeed absolutely
  definitely of course please go on ahead next stop wait sorry oops yay congrats cheers welcome the best love it
  appreciate helpful helps was this really very too and me both there again all set noted roger fair enough my bad
  cya ttyl brb omg idk interesting
  `
    .trim()
    .split(/\s+/),
);

const CHINESE_ACKNOWLEDGEMENT =
  /^(?:好|好的|好吧|好呀|好啊|好滴|好嘞|嗯|嗯嗯|恩|哦|噢|啊|哈|哈哈+|呵呵+|嘻嘻|嘿嘿|谢谢|谢谢你|谢谢您|多谢|谢了|感谢|非常感谢|太感谢了|收到|明白|明白了|懂了|知道|知道了|了解|了解了|清楚了|是|是的|对|对的|没错|没事|没问题|不客气|可以|可以的|行|行吧|不|不是|不用|不用了|不要|算了|不行|棒|太棒了|真棒|厉害|不错|很好|太好了|完美|牛|赞|你好|您好|嗨|哈喽|早|早安|早上好|晚安|晚上好|下午好|再见|拜拜|回头见|加油|辛苦了|抱歉|不好意思|对不起|原来如此|有道理|同意|当然|继续|等等|稍等|天哪|哇|哎|唉|了|呀|吧|的|你|就这样|先这样)+$/u;

/** Nothing but words that say yes, no, thanks, hello; or nothing but signs. */
function isAcknowledgement(text: string): boolean {
  const chinese = text.replace(/[^\p{Script=Han}]/gu, '');
  const rest = text.replace(/\p{Script=Han}/gu, ' ').match(/[\p{L}\p{N}']+/gu) ?? [];
  if (rest.length > 8) return false;
  if (chinese !== '' && !CHINESE_ACKNOWLEDGEMENT.test(chinese)) return false;
  return rest.every((word) => ACKNOWLEDGEMENT_WORDS.has(word));
}
