import { slug } from '../values.ts';
import type { Category } from '../rule.ts';
import type { ChineseClause } from './clauses.ts';
import { numberOf } from './numbers.ts';
import type { About, ChineseRule } from './rule.ts';
import { lifeRules, peopleRules } from './rules-life.ts';
import { healthRules, profileRules } from './rules-profile.ts';
import { contentWords } from './words.ts';

export type { About };

/** What a clause states; without `content` the clause itself is the text. */
export type ChineseStatement = {
  category: Category;
  key: string | null;
  value: string | null;
  content: string | null;
  /** Stays with the rest of what the sentence says. */
  soft: boolean;
};

/** In order of precedence. */
const rules: readonly ChineseRule[] = [...profileRules, ...healthRules, ...peopleRules, ...lifeRules];

const BETWEEN_VALUES = /、|以及|和|与|跟|还有|或者?|及/;
const DEGREE = /^(?:一[点點些]|简单的|簡單的|流利的)/;
/** Values are stored as they were said: one that needs the speaker to be understood is none. */
const NO_VALUE = /[我你您他她它咱]|^(?:这|那|什么|哪|谁|一起|别的|东西|人|事)/;

/** The named groups of a match, as they were written. */
function groupsOf(match: RegExpExecArray, clause: ChineseClause): Record<string, string> {
  const groups: Record<string, string> = {};
  for (const [name, place] of Object.entries(match.indices?.groups ?? {})) {
    if (place !== undefined) groups[name] = clause.text.slice(clause.from + place[0], clause.from + place[1]);
  }
  return groups;
}

function fill(template: string, groups: Readonly<Record<string, string>>, asKey = false): string {
  return template.replaceAll(/\{([a-z]+)\}/g, (_whole, name: string) => {
    const text = groups[name] ?? '';
    return asKey ? slug(text) : text;
  });
}

/** `二十八` and `28` are one age. */
function storedValue(rule: ChineseRule, value: string): string {
  return rule.key === 'age' ? String(numberOf(value)) : value.replace(/^一?[名个位家所间](?=.{2})/, '');
}

function statementsOf(
  rule: ChineseRule,
  groups: Record<string, string>,
  { speaker, isTraditional }: { speaker: string; isTraditional: boolean },
): ChineseStatement[] {
  if (rule.key === undefined)
    return [{ category: rule.category, key: null, value: null, content: null, soft: false }];
  const captured = groups['value'] ?? '';
  const values = rule.each === true ? captured.split(BETWEEN_VALUES) : [captured];
  return values.flatMap((part): ChineseStatement[] => {
    const value = storedValue(rule, part.trim().replace(DEGREE, ''));
    if (value === '' || NO_VALUE.test(value)) return [];
    const filled = { ...groups, value, speaker };
    return [
      {
        category: rule.category,
        key: fill(rule.key ?? '', filled, true),
        value: rule.value === undefined ? value : fill(rule.value, filled),
        content: rule.content === undefined || isTraditional ? null : fill(rule.content, filled),
        soft: rule.soft === true,
      },
    ];
  });
}

/** Told of another time, or for another time: no attribute that holds now. */
const KEYED_OF_NOW = /^(?:home|employer|job|studies|relationship_status|diet|age)$/;

/** What a clause states; empty when no row reads it. `isFuture`: its date is still to come. */
export function readStatements(
  clause: ChineseClause,
  about: About,
  { speaker, isFuture }: { speaker: string; isFuture: boolean },
): ChineseStatement[] {
  const found: ChineseStatement[] = [];
  for (const rule of rules) {
    if (rule.about !== about || (found.length > 0 && rule.key === undefined)) continue;
    const match = rule.when.exec(clause.predicate);
    if (match === null) continue;
    if (rule.key !== undefined && (clause.isPast || isFuture) && KEYED_OF_NOW.test(rule.key)) continue;
    if (rule.key === undefined && contentWords(clause.predicate) < 1) continue;
    const statements = statementsOf(rule, groupsOf(match, clause), {
      speaker,
      isTraditional: clause.text !== clause.simplified,
    });
    found.push(...statements);
    if (statements.length > 0 && rule.also !== true) return found;
  }
  return found;
}
