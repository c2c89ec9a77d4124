import type { Clause } from './clauses.ts';
import type { Told } from './conversation.ts';
import { resolveDates } from './dates.ts';
import { withSubject } from './elided-subject.ts';
import type { Reading } from './note.ts';
import { isErrand, statesSomething } from './own-words.ts';
import { asTheirOwn, meantBy, peopleIn, withPerson, type Person } from './people.ts';
import { asideOf, refusalOf } from './refusals.ts';
import { readStatements, type Statement } from './statements.ts';
import { contentWords, tellingOf } from './telling.ts';
import { toThirdPerson, type Speaker } from './third-person.ts';
import { slug } from './values.ts';
import { WISH_CLAUSE } from './wish-forms.ts';

/** The last guard: a sentence that still speaks for itself is not about its speaker. */
const FIRST_PERSON = /\b(?:I|me|my|mine|myself|we|our|ours|us|ourselves)\b/i;

/** What is kept with a key for the people in the speaker's life as well: what they must not eat. */
const SHARED_KEYS = /^(?:allergy_|diet$)/;

/** Their name, and two words more. */
const MIN_WORDS_OF_PERSON = 3;

/** `2023` and `2023-06` as the first day they contain. */
function toIsoDay(date: string | null): string | null {
  return date === null ? null : `${date}-01-01`.slice(0, 10);
}

/** "Ingrid, the user's sister," or "The user's sister". */
function asSpeaker(person: Person, { speaker }: Told): Speaker {
  const relation = toThirdPerson(`my ${person.relation}`, speaker, false).slice(0, -1);
  if (person.name === null) return { start: relation, inside: relation };
  const owned = relation.startsWith('The ') ? `the ${relation.slice(4)}` : relation;
  return { start: `${person.name}, ${owned},`, inside: person.name };
}

/** Health attributes of somebody in the speaker's life, under keys of their own. */
function theirStatements(own: string, person: Person, told: Told): Statement[] {
  if (refusalOf(own, told.social, true) !== null || (!told.social && asideOf(own) !== null)) return [];
  const speaker = asSpeaker(person, told);
  return readStatements(own, speaker.start, false)
    .filter(({ key }) => key !== null && SHARED_KEYS.test(key))
    .map((statement) => ({
      ...statement,
      key: `${slug(person.name ?? person.relation)}_${statement.key}`,
      content: statement.content ?? toThirdPerson(own, speaker, false),
    }));
}

const GENERIC_YOU =
  /\b(?:when|whenever|if|where|because|lets?|letting|makes?|making|helps?|things?|until|before|once|as) you\b/i;
const SPEAKS_OF_SELF = /\b(?:I|my|me|we|our|us)\b/i;

/** What the listener did: "so cool you found a class to help you relax". */
const TOLD_OF_LISTENER =
  /\byou (?:found|got|made|did|had|took|went|gave|saw|said|told|shared|\p{L}{2,}ed)\b/iu;
const OBJECT_YOU =
  /(?<=\b(?:\p{L}{2,}ing|for|to|with|of|about|by|from|on|helps?|lets?|makes?|gives?|keeps?|supports?) )you\b/giu;

/** "It is hard when you don't sleep" is said of people, not of the listener. */
function withoutGenericYou(clause: string): string {
  if (/^your?\b/i.test(clause) || SPEAKS_OF_SELF.test(clause) || !GENERIC_YOU.test(clause)) return clause;
  if (TOLD_OF_LISTENER.test(clause)) return clause;
  const first = clause.search(/\byou\b/i);
  const later = clause
    .slice(first + 'you'.length)
    .replaceAll(OBJECT_YOU, 'them')
    .replaceAll(/\byou\b/gi, 'they');
  return `${clause.slice(0, first)}people${later}`
    .replaceAll(/\byour\b/gi, 'their')
    .replaceAll(/\byourself\b/gi, 'themselves');
}

/** What a clause tells; `people` are those mentioned before it. Null when it is nothing to keep. */
export function readClause(clause: Clause, told: Told, people: readonly Person[]): Reading | null {
  if (clause.isQuestion) return null;
  const candidates = meantBy(clause.text, people);
  // Better nothing than a fact about the wrong person.
  if (candidates.length > 1) return null;
  const meant = candidates[0] ?? null;
  const { text, readable } = withSubject(
    meant === null ? withoutGenericYou(clause.text) : withPerson(clause.text, meant),
    told.social,
  );
  const { speaker, listener, social, message } = told;
  if (refusalOf(text, social, listener !== null) !== null) return null;
  const dated = resolveDates(text, message.createdAt);
  const person = meant ?? peopleIn(text)[0];
  const own = asTheirOwn(clause.text, meant !== null);
  const theirs = person === undefined || own === null ? [] : theirStatements(own, person, told);
  const standing = !social && WISH_CLAUSE.test(text);
  const isAside = !social && !standing && asideOf(text) !== null;
  const statements =
    theirs.length > 0 || isAside ? theirs : readStatements(dated.text, speaker.start, dated.date !== null);
  const telling = tellingOf(dated.text, told.topic !== null || meant !== null);
  const known = statements.length > 0;
  const tellsOfPerson =
    meant !== null &&
    !social &&
    !isAside &&
    told.keepsOwnWords &&
    contentWords(dated.text) >= MIN_WORDS_OF_PERSON;
  const ownWords = !known && told.keepsOwnWords && statesSomething(dated.text);
  const opens = known || ownWords || tellsOfPerson || (social && telling === 'own');
  // To an assistant, feelings and errands are no part of what is told.
  if (!opens && (telling === null || isAside || (!social && (telling !== 'about' || isErrand(dated.text)))))
    return null;

  const said = readable === text ? dated.text : resolveDates(readable, message.createdAt).text;
  const sentence = toThirdPerson(said, speaker, dated.date !== null, listener);
  if (sentence === '' || FIRST_PERSON.test(sentence.replaceAll(/\bUS\b/g, ''))) return null;
  return {
    sentence,
    date: toIsoDay(dated.date),
    keyed: statements.filter(({ key }) => key !== null),
    category: statements[0]?.category ?? 'other',
    known,
    ownWords,
    opens,
    words: contentWords(dated.text),
    reacts: telling === 'reaction',
    standing: standing && known,
  };
}
