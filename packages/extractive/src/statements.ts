import { fill, type Category, type Rule } from './rule.ts';
import { healthRules } from './rules-health.ts';
import { identityRules, selfDescriptionRules } from './rules-identity.ts';
import { otherSubjectRules } from './rules-other-subjects.ts';
import { peopleRules } from './rules-people.ts';
import { possessionRules } from './rules-possession.ts';
import { preferenceRules } from './rules-preference.ts';
import { EVENTS_WITH_DATE, eventRules, NOT_EVENTS, planRules } from './rules-time.ts';
import { workRules } from './rules-work.ts';
import { isValue, splitValues, trimValue } from './values.ts';
import { isAdverb, isPastForm } from './verbs.ts';

/** What a clause states; without `content` and `said` the clause itself is the text. */
export type Statement = {
  category: Category;
  key: string | null;
  value: string | null;
  content: string | null;
  /** The statement as a first-person clause. */
  said: string | null;
  /** Stays with the rest of what is said. */
  soft: boolean;
};

/** A statement without a key: the clause is its text. */
function unkeyed(category: Category): Statement {
  return { category, key: null, value: null, content: null, said: null, soft: false };
}

/** In order of precedence: what a clause says about identity counts before what it says about plans. */
const rules: readonly Rule[] = [
  ...peopleRules,
  ...identityRules,
  ...workRules,
  ...healthRules,
  ...selfDescriptionRules,
  ...planRules,
  ...preferenceRules,
  ...possessionRules,
  ...eventRules,
  ...otherSubjectRules,
];

/** The statements of one matched row; none when the captured value is no value. */
function statementsOf(
  rule: Rule,
  groups: Readonly<Record<string, string | undefined>>,
  speaker: string,
): Statement[] {
  if (rule.key === undefined) return [unkeyed(rule.category)];
  const captured = groups['value'] ?? '';
  const values =
    rule.each === true
      ? splitValues(captured)
      : [rule.trim === false ? captured.trim() : trimValue(captured)];
  return values.flatMap((value): Statement[] => {
    const after = captured.slice(captured.indexOf(value) + value.length);
    const filled = { ...groups, value, speaker, after };
    const stated = rule.value === undefined ? value : fill(rule.value, filled);
    if (!isValue(stated)) return [];
    return [
      {
        category: rule.category,
        key: fill(rule.key ?? '', filled, true),
        value: stated,
        content: rule.content === undefined ? null : fill(rule.content, filled),
        said: rule.said === undefined ? null : fill(rule.said, filled),
        soft: rule.soft === true,
      },
    ];
  });
}

/** "I visited …", "we adopted …": something that happened, told by a past verb with something after it. */
function eventOf(clause: string, dated: boolean): Statement | null {
  const words = clause.split(' ');
  if (words[0] !== 'I' && words[0] !== 'we') return null;
  let at = 1;
  while (at < 4 && isAdverb(words[at] ?? '')) at += 1;
  const verb = (words[at] ?? '').toLowerCase();
  if (!isPastForm(verb, dated) || words.length - at < 3) return null;
  if (NOT_EVENTS.has(verb) && !(dated && EVENTS_WITH_DATE.has(verb))) return null;
  return unkeyed('event');
}

/**
 * What a clause (normalised, dates written out) states about its speaker; empty when it matches no row.
 * `speaker` is the name used in contents; `dated`: the clause has a date.
 */
export function readStatements(clause: string, speaker: string, dated: boolean): Statement[] {
  const found: Statement[] = [];
  for (const rule of rules) {
    // What was found with a key is not kept a second time as a mere sentence.
    const match = found.length > 0 && rule.key === undefined ? null : rule.when.exec(clause);
    if (match === null) continue;
    const statements = statementsOf(rule, match.groups ?? {}, speaker);
    found.push(...statements);
    if (statements.length > 0 && rule.also !== true) return found;
  }
  if (found.length > 0) return found;
  const event = eventOf(clause, dated);
  return event === null ? [] : [event];
}
