import { QUOTATION, toProse } from '../clean-text.ts';
import { writeOutDates, type ChineseDated } from './dates.ts';
import { toSimplified } from './script.ts';
import { segment } from './words.ts';

/**
 * Who a clause is about: its speaker, somebody or something of theirs, what the speaker is like, or others. `none`: it
 * does not say.
 */
type Subject = 'speaker' | 'theirs' | 'attribute' | 'others' | 'none';

/** A part of a sentence between commas. */
export type ChineseClause = {
  text: string;
  /** The first date in it, as precise as it was said. */
  date: string | null;
  /** In simplified characters, of the same length. */
  simplified: string;
  subject: Subject;
  /** What follows subject, adverbs and dates at its beginning; simplified. */
  predicate: string;
  /** Where the predicate begins in the text. */
  from: number;
  /** Told of another time than now: `以前`. */
  isPast: boolean;
};

const FIRST_PERSON = /^(?:我们|咱们|我|咱|俺|本人)/;
const CONNECTIVES =
  '但是 但 不过 可是 可 而且 并且 然后 所以 因此 另外 此外 其实 对了 话说 说起来 同时 而 因为 由于 虽然 尽管 既然 毕竟 还有 况且 只是 只不过 比如 例如 说实话 总之 顺便 结果 于是 后来 接着 最后 首先 以及 并 且 那么 那'.split(
    ' ',
  );
const ADVERBS =
  '也 还 都 就 又 再 才 已经 已 一直 现在 目前 如今 真的 真 非常 很 特别 比较 十分 挺 蛮 超级 超 最近 近来 刚刚 刚 平时 平常 一般 通常 经常 常常 常 主要 确实 正在 正 每天 有时候 有时 有些 有点 总是 总 终于 突然 本来 偶尔 从小 今晚 个人 尤其 尤其是 特别是 只 仍然 仍 依然 越来越 早就 大概 差不多 好 太 更 自己 早上 上午 中午 下午 晚上 平日 周末'.split(
    ' ',
  );
/** The segmenter takes some adverbs for a part of their verb. */
const ADVERB_BEFORE =
  /^[很也还都就又再挺蛮真总常更](?=喜欢|爱|想|要|会|在|有|是|讨厌|怕|养|去|住|打|吃|喝|看)|^刚(?![才好需性强度])/;
const PAST = '以前 曾经 曾 原来 过去 当时 小时候 之前 年轻时 原本'.split(' ');
const OPENING: ReadonlySet<string> = new Set([...CONNECTIVES, ...ADVERBS, ...PAST]);
const FORMER: ReadonlySet<string> = new Set(PAST);
/** A date at the beginning, as it is written out. */
const DATE =
  /^(?:\d{4}年(?:\d{1,2}月(?:\d{1,2}日)?)?(?:前后|前几天|那一周|那个周末|[春夏秋冬]天|晚上|早上)?|[，、的])/;

/** People of whom one says `我妈` and not `我的妈`. */
export const KIN =
  '(?:爸爸|妈妈|爸妈|父母|父亲|母亲|老爸|老妈|爸|妈|爷爷|奶奶|外公|外婆|姥姥|姥爷|哥哥|弟弟|姐姐|妹妹|哥|弟|姐|妹|堂哥|堂弟|堂姐|堂妹|表哥|表弟|表姐|表妹|老公|老婆|丈夫|妻子|太太|先生|爱人|对象|男朋友|女朋友|男友|女友|未婚夫|未婚妻|前任|前妻|前夫|儿子|女儿|孩子|宝宝|闺女|大女儿|小女儿|大儿子|小儿子|孙子|孙女|外孙|侄子|侄女|外甥|外甥女|叔叔|阿姨|舅舅|姑姑|姨妈|伯伯|公公|婆婆|岳父|岳母|丈母娘|老丈人|嫂子|姐夫|妹夫|儿媳|女婿|家人|亲戚|朋友|闺蜜|好友|室友|舍友|同学|同桌|同事|老板|领导|上司|导师|老师|教练|医生|邻居|房东|徒弟|学生|客户)';
/** People whom only the speaker can mean: `女儿五岁了`. */
export const CLOSE_KIN =
  '(?:爸爸|妈妈|爸妈|老爸|老妈|爷爷|奶奶|外公|外婆|姥姥|姥爷|哥哥|弟弟|姐姐|妹妹|老公|老婆|男朋友|女朋友|男友|女友|未婚夫|未婚妻|儿子|女儿|孩子|宝宝|闺女|大女儿|小女儿|大儿子|小儿子|孙子|孙女|公公|婆婆|岳父|岳母|家里人)';
const THEIRS = new RegExp(
  `^(?:的|${KIN}|们?家(?!里?(?:住|在|搬))|公司|单位|学校|部门|团队|班|所在|这边(?:的)?|司|校)`,
);

const ATTRIBUTE =
  /^的?(?:名字|姓名|全名|真名|本名|生日|昵称|外号|绰号|网名|英文名|专业|职业|职位|母语|预算|老家|家乡|爱好|兴趣|目标|梦想|年龄|身高|体重|血型|星座|MBTI)/;
const OTHERS = new RegExp(`^(?:[他她它这那其]|大家|别人|有人|人们|对方|${KIN})`);
/** What the speaker knows or thinks of others. */
const OF_OTHERS = new RegExp(
  `^(?:知道|觉得|认为|听说|发现|希望|相信|看到|记得|担心|怕|喜欢)(?:[他她它]|我?的?${KIN})`,
);
const CLOSE = new RegExp(`^${CLOSE_KIN}`);

/** Where the predicate begins at the latest. */
const MAX_OPENING_CHARACTERS = 40;

function subjectBefore(rest: string): Subject {
  if (ATTRIBUTE.test(rest)) return 'attribute';
  return THEIRS.test(rest) ? 'theirs' : 'speaker';
}

function parseClause({ text, date }: ChineseDated): ChineseClause {
  const simplified = toSimplified(text);
  let from = 0;
  let subject: Subject = 'none';
  let isPast = false;
  const skip = (length: number): void => {
    from += length;
  };
  while (from < Math.min(simplified.length, MAX_OPENING_CHARACTERS)) {
    const rest = simplified.slice(from, from + MAX_OPENING_CHARACTERS);
    const dated = DATE.exec(rest);
    const person = subject === 'none' ? FIRST_PERSON.exec(rest) : null;
    const word = segment(rest)[0] ?? '';
    if (dated !== null) skip(dated[0].length);
    else if (person !== null && word !== '我国') {
      skip(person[0].length);
      subject = subjectBefore(simplified.slice(from));
      if (subject !== 'speaker') break;
    } else if (OPENING.has(word)) {
      isPast ||= FORMER.has(word);
      skip(word.length);
    } else if (subject === 'none' && CLOSE.test(rest)) {
      subject = 'theirs';
      break;
    } else if (subject === 'none' && OTHERS.test(rest)) {
      subject = 'others';
      break;
    } else if (ADVERB_BEFORE.test(rest)) skip(1);
    else break;
  }
  if (OF_OTHERS.test(simplified.slice(from))) subject = 'others';
  return { text, date, simplified, subject, predicate: simplified.slice(from), from, isPast };
}

/** Between clauses; a comma between digits and one that lists (`、`) are none. */
const CLAUSE_END = /[，；：;]|(?<!\d)[,:]|[,:](?!\d)|(?<=\p{Script=Han})\s+(?=\p{Script=Han})/u;
const EDGES = /^[\s.。!！?？~～…—–·•*#"”」』)）-]{1,30}/;
/** "我养了一只猫，叫咪咪": what follows names what comes before. */
const NAMES_BEFORE = /^(?:它|他|她)?(?:的)?(?:名字|小名)?(?:叫|是叫)(?:做|作)?(?!我|醒|外卖|车)/;

function trimmed(text: string): string {
  const start = text.replace(EDGES, '');
  let end = start.length;
  const isEdge = (last: string) =>
    /[\s.。!！~～…—–"·,，、]/.test(last) || (end > 1 && /[啊呀哟噢]/.test(last));
  while (end > 0 && isEdge(start.charAt(end - 1))) end -= 1;
  return start.slice(0, end).trim();
}

function clausesOf(sentence: string): string[] {
  const parts: string[] = [];
  for (const part of sentence.split(CLAUSE_END)) {
    const clause = trimmed(part);
    const before = parts.at(-1);
    if (clause === '') continue;
    if (before !== undefined && NAMES_BEFORE.test(toSimplified(clause)))
      parts[parts.length - 1] = `${before}，${clause}`;
    else parts.push(clause);
  }
  return parts;
}

let sentences: Intl.Segmenter | undefined;

/** What somebody says, as against a name in quotation marks. */
const SPOKEN = /[“「『]([^“”「」『』\n]{1,400})[”」』]/g;

/** The sentences of a message by paragraph (line), in order. */
export function toChineseParagraphs(content: string): string[][] {
  sentences ??= new Intl.Segmenter('zh', { granularity: 'sentence' });
  const segmenter = sentences;
  return toProse(content)
    .replaceAll(SPOKEN, (whole, inner: string) => (/[我你您吗？！。，]/.test(inner) ? QUOTATION : whole))
    .split('\n')
    .map((line) =>
      [...segmenter.segment(line)].map((part) => part.segment.trim()).filter((part) => part !== ''),
    )
    .filter((line) => line.length > 0);
}

/** The clauses of a sentence, their dates written out. */
export function toChineseClauses(sentence: string, saidAt: Date): ChineseClause[] {
  return clausesOf(sentence).map((part) => parseClause(writeOutDates(part, saidAt)));
}
