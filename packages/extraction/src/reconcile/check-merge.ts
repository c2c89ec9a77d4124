import { meaningfulWords } from '../attribution.ts';
import { inventedWords } from '../dedup/distinguishing-words.ts';
import { screenStatement, type StatementRefusal } from '../screening/screen-statement.ts';
import { MERGE_WORDS } from './merge-words.ts';

/** Why a merged text is refused: it states or denies more than its sources, or bears the mark of an attack. */
export type MergeRefusal = StatementRefusal | 'text_invents' | 'text_negates';

/** Words that negate or end what follows them. */
const NEGATION =
  /\b(?:not|no|never|none|nobody|nothing|neither|nor|cannot|without|except|unless|nicht|kein\w*|nie|ohne|ne|pas|jamais|sans|nunca|sin|não|sem|non|mai|senza)\b|n't\b|[不没未无非]/giu;
const ENDING =
  /\b(?:no longer|not anymore|stopped|quit|gave up|given up|formerly|former|previously|previous|used to|ex)\b/gi;
const CLAUSE_END = /[,.;:!?。，；：！？]|\b(?:and|but|und|aber|et|mais|y|pero|e|mas|ma)\b/iu;
/** Scripts without spaces are compared by pairs of characters; joining two texts creates new pairs. */
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}]/u;
const MIN_PAIRS = 0.5;

type Words = Readonly<{
  /** Affirmed words. */
  plain: ReadonlySet<string>;
  negated: ReadonlySet<string>;
  /** Words of statements that have ended. */
  ended: ReadonlySet<string>;
}>;

/**
 * Why a text may not replace a memory and the news about it; null when it may. Every content word of the text must
 * be a word of one of its sources, in any form, and negated exactly where they negate it; what the text calls ended
 * must come from the memory. Only the words in `MERGE_WORDS` are free: a tolerance of even one word would let in
 * "bankrupt".
 */
export function refusalOfMerge(text: string, memory: string, news: readonly string[]): MergeRefusal | null {
  const sources = [memory, ...news];
  if (namesAnew(text, sources)) return 'text_invents';
  const screened = screenStatement(text, sources, { order: false });
  if (screened !== null) return screened;
  const said = splitByRole(text);
  const known = sources.map(splitByRole);
  const all = known.flatMap(({ plain, negated, ended }) => [...plain, ...negated, ...ended]);
  const stated = [...said.plain, ...said.negated, ...said.ended];
  if (stated.some((word) => isLong(word) && !isAmong(word, all))) return 'text_invents';
  if (text.split(CLAUSE_END).some((clause) => pairsAnew(clause, all))) return 'text_invents';
  const isPlain = known.flatMap(({ plain }) => [...plain]);
  const isDenied = known.flatMap(({ negated, ended }) => [...negated, ...ended]);
  const turned =
    [...said.plain].some((word) => isAmong(word, isDenied) && !isAmong(word, isPlain)) ||
    [...said.negated].some((word) => !isAmong(word, isDenied));
  const isOld = [...wordsIn(memory), ...isDenied];
  return turned || [...said.ended].some((word) => !isAmong(word, isOld)) ? 'text_negates' : null;
}

/** Whether a text also states a statement: all its names, numbers and dates, and half of its other words. */
export function tellsOf(text: string, statement: string): boolean {
  if (namesAnew(statement, [text])) return false;
  const stated = [...wordsIn(statement)];
  const told = [...wordsIn(text)];
  return stated.filter((word) => isAmong(word, told)).length >= stated.length / 2;
}

/** Whether a text has a name, number or date that no other text has. */
function namesAnew(text: string, others: readonly string[]): boolean {
  return inventedWords(text, others).some((word) => !UNSPACED.test(word));
}

/** The content words that two texts share, as a share of those of the shorter one; 0 to 1. */
export function sharedWords(left: string, right: string): number {
  const [fewer = [], more = []] = [[...wordsIn(left)], [...wordsIn(right)]].toSorted(
    (a, b) => a.length - b.length,
  );
  return fewer.length === 0 ? 0 : fewer.filter((word) => isAmong(word, more)).length / fewer.length;
}

function wordsIn(text: string): ReadonlySet<string> {
  return new Set([...meaningfulWords(text)].filter((word) => !FREE.has(word)));
}

const FREE = new Set([...MERGE_WORDS].flatMap((word) => [word, ...meaningfulWords(word)]));

function splitByRole(text: string): Words {
  const ended: string[] = [];
  const negated: string[] = [];
  const rest = cutBehind(cutBehind(text, ENDING, ended), NEGATION, negated);
  return { plain: wordsIn(rest), negated: wordsIn(negated.join(' ')), ended: wordsIn(ended.join(' ')) };
}

/** The text without each mark and the rest of its clause, which is added to `cut`. */
function cutBehind(text: string, mark: RegExp, cut: string[]): string {
  const kept: string[] = [];
  let from = 0;
  for (const { 0: found, index } of text.matchAll(mark)) {
    if (index < from) continue;
    const behind = text.slice(index + found.length);
    const end = behind.search(CLAUSE_END);
    const clause = end < 0 ? behind : behind.slice(0, end);
    kept.push(text.slice(from, index));
    cut.push(clause);
    from = index + found.length + clause.length;
  }
  return [...kept, text.slice(from)].join(' ');
}

/** Shorter words are mostly function words. */
function isLong(word: string): boolean {
  return !UNSPACED.test(word) && [...word].length > 2;
}

/** Whether most pairs of characters of a clause are new. */
function pairsAnew(clause: string, known: readonly string[]): boolean {
  const pairs = [...wordsIn(clause)].filter((word) => UNSPACED.test(word));
  return pairs.filter((pair) => known.includes(pair)).length < pairs.length * MIN_PAIRS;
}

/** The longest ending in which two forms of a word may differ: allergy, allergic; engineer, engineering. */
const MAX_ENDING = 3;
const MIN_STEM = 4;

function isAmong(word: string, known: readonly string[]): boolean {
  return known.some((other) => other === word || areForms(word, other));
}

function areForms(left: string, right: string): boolean {
  const shorter = Math.min(left.length, right.length);
  let shared = 0;
  while (shared < shorter && left[shared] === right[shared]) shared += 1;
  return shared >= MIN_STEM && Math.max(left.length, right.length) - shared <= MAX_ENDING;
}
