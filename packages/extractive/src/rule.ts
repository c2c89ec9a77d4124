import { slug } from './values.ts';
import { WORD_LISTS } from './word-lists.ts';

export type Category =
  'identity' | 'preference' | 'relationship' | 'work' | 'health' | 'plan' | 'event' | 'possession' | 'other';

/**
 * One row of the rule table: which clauses it reads, and what they state. Without `key` the clause is kept
 * as a note. `key` and `content` are templates over the pattern's named groups (`{value}`) and `{speaker}`;
 * without `content` the fact's text is the clause itself in the third person.
 */
export type Rule = {
  category: Category;
  when: RegExp;
  key?: string;
  /** Template for the value; the group `value` when absent. */
  value?: string;
  content?: string;
  /** In place of `content`: a first-person clause that is put into the third person; `{after}` follows the value. */
  said?: string;
  /** A weak attribute: among people, who say more around it, it stays with the rest of what they say. */
  soft?: true;
  /** Cuts the value where something else begins ("Berlin with my wife"). Default true. */
  trim?: false;
  /** The value is a list, each part a fact of its own. */
  each?: true;
  /** Later rows may read the same clause too. */
  also?: true;
};

/** Compiles a pattern over a whole normalised clause; `{name}` inserts a word list. */
export function when(source: string): RegExp {
  const expanded = source.replaceAll(/\{([a-z]+)\}/g, (whole, name: string) => WORD_LISTS[name] ?? whole);
  return new RegExp(`^${expanded}`, 'u');
}

/** Fills `{speaker}` and named groups; in keys, groups become snake_case words. */
export function fill(
  template: string,
  groups: Readonly<Record<string, string | undefined>>,
  asKey = false,
): string {
  return template.replaceAll(/\{([a-z]+)\}/g, (_whole, name: string) => {
    const text = groups[name] ?? '';
    return asKey ? slug(text) : text;
  });
}
