import type { ChineseClause } from './clauses.ts';
import { toSimplified } from './script.ts';
import { segment } from './words.ts';

const PERSON = /^(?:我们|咱们|本人|我|咱|俺)(?<both>俩|两个人?|两人)?/;
/** Words that have the pronoun in them without meaning the speaker. */
const NO_PERSON = /^我(?:国|方|军)$/;
/** The last guard: a sentence that still speaks for itself is not about its speaker. Titles and `自我` aside. */
const LEFT_OVER = /(?<![自忘])(?:我|咱|俺)(?![国方军])/;
/** Before the name of the speaker. */
const LEADING_DATE =
  /^\d{4}年(?:\d{1,2}月(?:\d{1,2}日)?)?(?:前后|前几天|那一周|那个周末|[春夏秋冬]天|晚上|早上)?/;
const TITLE = /《[^《》]{0,80}》/g;

/** Joins a clause to one before it, which may be gone. */
const JOINING =
  /^(?:但是|但|不过|可是|而且|并且|然后|所以|因此|另外|此外|其实|对了|话说回来|话说|说起来|同时|而|可|毕竟|还有|况且|只是|只不过|说实话|总之|顺便|于是|那么|那|因为|由于|虽然|尽管|以及|并|也|还|又|就|尤其是|特别是|嗯|哦|啊|哈哈|对)(?![是要没在会能好有原许国以能爱])/;

/** Tokens of a text as it was written, beside their simplified forms. */
function tokensOf(text: string): { written: string; simplified: string }[] {
  let from = 0;
  return segment(toSimplified(text)).map((simplified) => {
    const written = text.slice(from, from + simplified.length);
    from += simplified.length;
    return { written, simplified };
  });
}

/** `我爸` is somebody's `爸爸`. */
const SHORT_KIN = /^[爸妈哥姐弟妹]$/;

type Naming = {
  speaker: string;
  listener: string | null;
  /** The speaker is the subject of the clause before. */ continues: boolean;
};

/** One clause with the speaker's name in place of the first person. */
function clauseInThirdPerson(clause: ChineseClause, { speaker, listener, continues }: Naming): string {
  let out = '';
  let inTitle = false;
  let mentions = 0;
  let skipsSelf = false;
  let owns = false;
  for (const { written, simplified } of tokensOf(clause.text)) {
    if (written === '《') inTitle = true;
    if (written === '》') inTitle = false;
    const person = inTitle || NO_PERSON.test(simplified) ? null : PERSON.exec(simplified);
    if (person === null) {
      const heard = !inTitle && listener !== null && /^[你您]$/.test(simplified);
      // "我自己" is "用户自己", "自己自己" is nothing.
      if (owns && !/^[的家]/.test(simplified)) out += '的';
      const isShort = owns && SHORT_KIN.test(simplified);
      owns = false;
      if (!(skipsSelf && simplified === '自己'))
        out += heard ? listener : isShort ? written + written : written;
      skipsSelf = false;
      continue;
    }
    mentions += 1;
    // Chinese leaves out a subject that is the same as before.
    const isSameSubject = continues && mentions === 1 && clause.subject === 'speaker' && out.length < 8;
    const name = mentions > 1 && clause.subject === 'speaker' ? '自己' : isSameSubject ? '' : speaker;
    skipsSelf = name === '自己';
    const both = person.groups?.['both'] === undefined ? '' : '和对方';
    const rest = written.slice(person[0].length);
    const isOwner =
      mentions === 1 && /theirs|attribute/.test(clause.subject) && both === '' && !/^[的家们]/.test(rest);
    owns = isOwner && rest === '';
    out += `${name === '' && both !== '' ? speaker : name}${both}${isOwner && rest !== '' ? '的' : ''}${isOwner && SHORT_KIN.test(rest) ? rest : ''}${rest}`;
  }
  return out;
}

function withoutJoining(text: string): string {
  let rest = text;
  for (
    let found = JOINING.exec(toSimplified(rest));
    found !== null;
    found = JOINING.exec(toSimplified(rest))
  ) {
    rest = rest.slice(found[0].length).replace(/^[，,、\s]{1,4}/, '');
  }
  return rest;
}

/** "2023年5月2日用户去了…" → "2023年5月2日，用户去了…". */
function withComma(sentence: string, speaker: string): string {
  const date = LEADING_DATE.exec(sentence)?.[0] ?? '';
  const rest = sentence.slice(date.length);
  return date !== '' && rest.startsWith(speaker) ? `${date}，${rest}` : sentence;
}

/**
 * Clauses of a sentence, one after the other, as a sentence about their speaker: "我很喜欢绘画" → "用户很喜欢绘画。" The
 * speaker is named once. Where no clause names them and they are meant (`isOwn`), that is at the beginning. Empty when
 * the first person would be left.
 */
export function toThirdPerson(
  clauses: readonly ChineseClause[],
  { speaker, listener, isOwn }: { speaker: string; listener: string | null; isOwn: boolean },
): string {
  const parts: string[] = [];
  let named = false;
  let continues = false;
  for (const clause of clauses) {
    const text = clauseInThirdPerson(clause, { speaker, listener, continues });
    parts.push(parts.length === 0 ? withoutJoining(text) : text);
    named ||= text.includes(speaker);
    if (clause.subject !== 'none') continues = clause.subject === 'speaker' || clause.subject === 'attribute';
  }
  const sentence = parts.filter((part) => part !== '').join('，');
  if (sentence === '' || LEFT_OVER.test(toSimplified(sentence).replaceAll(TITLE, ''))) return '';
  const isNamed = named || sentence.includes(speaker);
  const owner = clauses[0]?.subject === 'theirs' ? `${speaker}的` : speaker;
  return `${isNamed || !isOwn ? '' : owner}${withComma(sentence, speaker)}。`;
}
