import { CLOSE_KIN, type ChineseClause, toChineseClauses } from './clauses.ts';
import { CONDITION, refusalOf, SPEAKS, TAG_QUESTION } from './refusals.ts';
import { type About, readStatements, type ChineseStatement } from './statements.ts';
import type { Voice } from './voice.ts';
import { contentWords } from './words.ts';

/** What was read of a clause, and of those that go on with its subject. */
export type Read = {
  clauses: ChineseClause[];
  statements: readonly ChineseStatement[];
  /** Whether a note may be made for its sake; without, it is only kept beside one that may. */
  opens: boolean;
  /** Whether the speaker is its subject where it names none. */
  isOwn: boolean;
};

/** A clause of the speaker that no rule reads is kept if it has at least so many words; a date counts as one. */
const MIN_WORDS = 2;
/** What is kept beside another clause of its sentence. */
const MIN_WORDS_BESIDE = 0.5;

/** What a clause begins with that leaves out its subject and tells of its speaker. */
const ELIDED = new RegExp(
  `^(?:${CLOSE_KIN}|在|打算|计划|准备|想|要|去|搬|住|喜欢|爱|热爱|讨厌|不喜欢|有|养|学|参加|买|换|吃|喝|得了|患|做|看了|看过|来自|对.{1,12}过敏|结婚|离婚|单身|退休|工作|负责|从事|觉得|希望|决定|开始|报名|考|毕业|面试|体检|加入|入职|辞职|习惯|擅长|练|跑|骑|弹|每|不能|不吃|不喝|喜爱|刚|和.{1,8}(?:一起|去)|带|陪|收到|拿到|通过|完成|听了?|读|写|玩|逛|爬|游|参观|体验|尝试了?|发现|认识|遇到|梦见|忙|加班|出差|请假|感冒|生病|住院|怀孕|失眠|戒|减肥|健身|锻炼|今年.{0,4}岁|\\d{1,2}岁)`,
  'u',
);
const SPEAKER = /(?<![自忘])我(?![国方])/;

/** After these, a clause without a subject goes on with what was refused. */
const LEAVES_OPEN: ReadonlySet<string> = new Set([
  'question',
  'unknown',
  'supposition',
  'thought',
  'quotation',
]);
const OF_OTHERS = /[他她它]/;

/** What does something to the speaker, where nothing says what it is: "可以让我放松". */
const CAUSES = /^(?:可以|能够|能|会)?(?:让|使|令|帮助?)(?:我|自己)/;

/** Whose rules read a clause, by its subject; without one, by the subject before. */
const ABOUT = { speaker: 'speaker', attribute: 'theirs', theirs: 'theirs', others: null } as const;
const INHERITED = { speaker: 'speaker', attribute: 'speaker', theirs: 'theirs', others: null } as const;

/** A clause whose subject is left out speaks of the one before it. */
function aboutOf(clause: ChineseClause, previous: ChineseClause | undefined): About | null {
  if (clause.subject !== 'none') return ABOUT[clause.subject];
  if (previous !== undefined && previous.subject !== 'none') return INHERITED[previous.subject];
  return previous === undefined && ELIDED.test(clause.predicate) ? 'speaker' : null;
}

function readClause(
  clause: ChineseClause,
  about: About | null,
  { speaker, saidAt }: Voice,
): readonly ChineseStatement[] {
  const isFuture = clause.date !== null && clause.date > saidAt.toISOString().slice(0, 10);
  return about === null ? [] : readStatements(clause, about, { speaker, isFuture });
}

/** Whether a clause goes on about the one who was named in the clause before: "我家的狗叫豆豆，已经十岁了". */
function goesOn(clause: ChineseClause, before: Read): boolean {
  return (
    clause.subject === 'none' &&
    before.clauses[0]?.subject === 'theirs' &&
    before.statements.some(({ key, content }) => key !== null && content === null)
  );
}

/** Clauses of a sentence that may be kept, with whom each is about; what is asked, quoted or supposed is left out. */
function* keptClauses(
  sentence: string,
  { saidAt, listener }: Voice,
): Generator<[ChineseClause, About | null]> {
  const clauses = toChineseClauses(sentence, saidAt);
  if (TAG_QUESTION.test((clauses.at(-1)?.simplified ?? '').replace(/[?？]$/, ''))) return;
  let subject: ChineseClause | undefined;
  let isLost = false;
  let isAny = false;
  for (const clause of clauses) {
    const isQuoting = SPEAKS.test(clause.simplified) && /[:：“「]/.test(sentence);
    if (isQuoting || CONDITION.test(clause.simplified)) return;
    const about = aboutOf(clause, subject);
    if (clause.subject !== 'none' || subject === undefined) subject = clause;
    if (clause.subject !== 'none' || clause.from > 0) isLost = false;
    const refusal = refusalOf(clause, listener, subject !== clause && subject.subject !== 'none');
    if (refusal !== null) isLost = LEAVES_OPEN.has(refusal) || OF_OTHERS.test(clause.simplified);
    else if (!isLost && (isAny || clause.subject !== 'none' || !CAUSES.test(clause.predicate))) {
      isAny = true;
      yield [clause, about];
    }
  }
}

function isOfSpeaker({ subject, predicate, simplified, from }: ChineseClause): boolean {
  // "今天把论文交了" tells what was done, "把它改短" what is to be done.
  const isDone = from > 0 && /^把[^，]{1,40}了/.test(predicate);
  const isNamed = subject !== 'none' && subject !== 'others';
  return isNamed || isDone || ELIDED.test(predicate) || SPEAKER.test(simplified);
}

/** What a sentence states, clause by clause. `isMeant`: it is about something that the user has told of. */
export function readSentence(sentence: string, voice: Voice, isMeant: boolean): Read[] {
  const found: Read[] = [];
  for (const [clause, about] of keptClauses(sentence, voice)) {
    const before = found.at(-1);
    if (before !== undefined && goesOn(clause, before)) {
      before.clauses.push(clause);
      continue;
    }
    const statements = readClause(clause, about, voice);
    const isOwn = isOfSpeaker(clause) || before?.opens === true;
    const words = contentWords(clause.predicate);
    const opens =
      statements.length > 0 ||
      (voice.keepsUnread && (isOwn || isMeant) && words + (clause.date === null ? 0 : 1) >= MIN_WORDS);
    if (opens || words >= (before === undefined ? MIN_WORDS : MIN_WORDS_BESIDE))
      found.push({ clauses: [clause], statements, opens, isOwn });
  }
  return found;
}
