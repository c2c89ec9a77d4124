import { toChineseClauses } from './clauses.ts';
import { refusalOf } from './refusals.ts';
import type { Voice } from './voice.ts';
import { contentWords } from './words.ts';

const TO_YOU =
  /^(?:如果|要是)?(?:你|您)?(?:喜欢|感兴趣|有空|有时间|有机会|想看|想听|想去|也|真的|下次){0,2}(?:的话|的話)?/;
const RECOMMENDS =
  /^(?:可以|一定要|应该|不妨|值得|记得)(?:也|去|来|多)?(?:去|来|看|试|听|尝|玩|读|逛|关注)(?!看我|说|帮|你)/;

/**
 * What a user recommends to the assistant, as a sentence about them: "如果你有机会，一定要来绿禾公园走一走" → "用户推荐：一定要来绿禾公园走一走。"
 * Null for other sentences.
 */
export function recommendationOf(sentence: string, { speaker, saidAt }: Voice): string | null {
  const clauses = toChineseClauses(sentence, saidAt).filter(({ simplified }) => !/[?？吗]$/.test(simplified));
  const at = clauses.findIndex(({ simplified }) => RECOMMENDS.test(simplified.replace(TO_YOU, '')));
  const first = clauses[at];
  if (first === undefined || first.subject !== 'none' || contentWords(first.text) < 1) return null;
  // A name that nobody has: what is said to `你` is meant for the assistant here.
  const kept = clauses.slice(at).filter((clause) => refusalOf(clause, '', true) === null);
  const text = kept.map((clause) => clause.text.replace(TO_YOU, '')).join('，');
  return text === '' || /[我你您]/.test(text) ? null : `${speaker}推荐：${text}。`;
}
