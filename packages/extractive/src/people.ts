import { languageModel } from './language.ts';
import { WORD_LISTS } from './word-lists.ts';

/** Somebody in the speaker's life, as a later "she" or "he" means them. */
export type Person = {
  /** Null for those who are only called what they are: "my sister". */
  name: string | null;
  relation: string;
  pronoun: 'he' | 'she' | null;
  /** Whether what mentions them is kept, so that the name says who it is. */
  isKnown?: boolean;
};

const SHE =
  /(?:mother|mom|mum|mama|sister|daughter|wife|girlfriend|grandmother|grandma|granny|granddaughter|aunt|auntie|niece|stepmom)/i;
const HE =
  /(?:father|dad|papa|brother|son|husband|boyfriend|grandfather|grandpa|grandson|uncle|nephew)(?:-in-law)?$/i;

const PET = new RegExp(`(?:^|[ -])${WORD_LISTS['pet']}$`, 'u');

const WHO = `(?:[\\p{Ll}-]+ ){0,1}?(?:${WORD_LISTS['relation']}|${WORD_LISTS['pet']})`;
const NAMED = `(?:called |named |is called |is named )`;

/** "my sister", "my sister Ingrid", "a puppy named Milo". */
const MENTION = new RegExp(
  `\\b(?:[Mm]y|[Oo]ur|[Aa]n?(?= (?:[\\p{L}-]+ ){1,4}(?:called|named) \\p{Lu})) (?<relation>${WHO})(?:['’]s name is (?=\\p{Lu})|(?!s?['’]s?|s\\b))(?:,? ?${NAMED}?(?<name>${WORD_LISTS['name']}))?`,
  'gu',
);

const PLURAL = /(?:[^s]s|children|family|fish)$/;

function pronounOf(relation: string): Person['pronoun'] {
  if (SHE.test(relation)) return 'she';
  return HE.test(relation) ? 'he' : null;
}

/** The people and animals a first-person clause mentions: "my sister Ingrid". */
export function peopleIn(clause: string): Person[] {
  return [...clause.matchAll(MENTION)].flatMap(({ groups }): Person[] => {
    const relation = groups?.['relation'] ?? '';
    if (PLURAL.test(relation)) return [];
    return [{ name: groups?.['name'] ?? null, relation, pronoun: pronounOf(relation) }];
  });
}

/** Whom a clause that begins with a pronoun can mean, each once; none when it begins with no pronoun. */
export function meantBy(clause: string, people: readonly Person[]): Person[] {
  const pronoun = /^(?:also |and |but )?(she|he|her|his)\b/i.exec(clause)?.[1]?.toLowerCase();
  if (pronoun === undefined) return [];
  const wanted = pronoun === 'she' || pronoun === 'her' ? 'she' : 'he';
  const sure = people.filter((person) => person.pronoun === wanted);
  const unsure = people.filter(
    (person) => person.pronoun === null && !(sure.length > 0 && PET.test(person.relation)),
  );
  const byName = new Map([...sure, ...unsure].map((person) => [person.name ?? person.relation, person]));
  return [...byName.values()];
}

/** The clause with the person in place of the pronoun: "Ingrid is allergic", "my sister's job". */
export function withPerson(clause: string, person: Person): string {
  const own = `my ${person.relation}`;
  const name =
    person.isKnown === false && person.name !== null ? `${own} ${person.name}` : (person.name ?? own);
  return clause
    .replace(/^(also |and |but )?(she|he)'s (?!(?:been|got|had)\b)/i, '$1$2 is ')
    .replace(/^(?:also |and |but )?(she|he|her|his)\b/i, (_whole, pronoun: string) =>
      /^(?:her|his)$/i.test(pronoun) ? `${name}'s` : name,
    );
}

const FIRST_FORM: ReadonlyMap<string, string> = new Map([
  ['is', 'am'],
  ['has', 'have'],
  ['does', 'do'],
  ["doesn't", "don't"],
  ["isn't", 'am not'],
  ["hasn't", "haven't"],
]);

type ToInfinitive = (verb: string, model: unknown, tense: string) => string;

/** "is allergic to nuts" → "am allergic to nuts": what a person does, in the form the rules read. */
function firstForm(predicate: string): string {
  const [verb = '', ...rest] = predicate.split(' ');
  const known = FIRST_FORM.get(verb);
  if (known !== undefined) return [known, ...rest].join(' ');
  if (!/[^s]s$/.test(verb) || verb === 'was') return predicate;
  const nlp = languageModel();
  const { toInfinitive } = (
    nlp.methods() as unknown as { two: { transform: { verb: { toInfinitive: ToInfinitive } } } }
  ).two.transform.verb;
  return [toInfinitive(verb, nlp.model(), 'PresentTense'), ...rest].join(' ');
}

const DIRECT = new RegExp(
  `^(?:my|our) (?:${WORD_LISTS['relation']}|${WORD_LISTS['pet']})(?:,? (?!(?:is|has|was)\\b)${WORD_LISTS['name']},?)? (?=(?:is|has|was|does|[\\p{Ll}]+s)\\b)`,
  'u',
);

/**
 * What a clause about a person would be if they said it themselves: "she is allergic to nuts" → "I am
 * allergic to nuts". Null when the clause is not about `person` alone.
 */
export function asTheirOwn(clause: string, isPronoun: boolean): string | null {
  if (!isPronoun) {
    const match = DIRECT.exec(clause);
    return match === null ? null : `I ${firstForm(clause.slice(match[0].length))}`;
  }
  const rest = /^(?:also |and |but )?(she|he|her|his)('s)? (.+)$/i.exec(clause);
  if (rest === null) return null;
  const [, pronoun = '', contracted, predicate = ''] = rest;
  if (/^(?:her|his)$/i.test(pronoun)) return `my ${predicate}`;
  return contracted === undefined ? `I ${firstForm(predicate)}` : `I am ${predicate}`;
}
