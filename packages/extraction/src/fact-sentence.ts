/**
 * Readable sentences for `key: value` facts, so that every memory can be read, embedded and searched as
 * text. First matching row wins; `{}` is the value.
 */
const SENTENCES: readonly (readonly [RegExp, string])[] = [
  [/^(?:full_|first_|last_|nick|user_?)?name$/, "The user's {key} is {}."],
  [
    /^(?:location|home|city|residence|lives_in|home_town_now|current_location|current_city)$/,
    'The user lives in {}.',
  ],
  [/^(?:origin|hometown|birthplace|place_of_birth|from|country_of_origin)$/, 'The user comes from {}.'],
  [/^age$/, 'The user is {} years old.'],
  [/^(?:job|occupation|profession|job_title|role|position)$/, "The user's {key} is {}."],
  [/^(?:employer|company|workplace|works_at|works_for)$/, 'The user works at {}.'],
  [/^(?:allergy|allergies|allergic_to)$/, 'The user is allergic to {}.'],
  [
    /^(?:likes?|loves|enjoys|prefers|dislikes?|hates|uses|owns|speaks|studies|wants|plays|drives)$/,
    'The user {verb} {}.',
  ],
  [/^(?:languages?|spoken_languages?)$/, 'The user speaks {}.'],
  [/^(?:diet|dietary_preference|dietary_restriction)$/, "The user's diet is {}."],
];

/** A value that denies something: `allergy: no allergy to penicillin`. */
const DENIED = /^(?:no|none|not|never|nothing|without)\b(?=.)/i;

const TRUE = /^(?:true|yes)$/i;
const FALSE = /^(?:false|no)$/i;

/** Adjectives of a person's state: `married: true`. */
const STATE = /(?:ed|vegan|arian|nant|betic|^single|^celiac)$/;

/** `is_vegetarian: true` → "The user is vegetarian." */
function booleanSentence(words: string, value: string): string | null {
  const positive = TRUE.test(value);
  if (!positive && !FALSE.test(value)) return null;
  const [verb = '', ...rest] = words.split(' ');
  const object = rest.join(' ');
  if (object === '') return STATE.test(verb) ? `The user is ${positive ? '' : 'not '}${verb}.` : null;
  if (verb === 'is') return `The user is ${positive ? '' : 'not '}${object}.`;
  if (verb === 'has') return positive ? `The user has ${object}.` : `The user does not have ${object}.`;
  return null;
}

function verbOf(key: string): string {
  return key === 'like' || key === 'dislike' ? `${key}s` : key;
}

function ended(sentence: string): string {
  return /[.!?…]\.$/.test(sentence) ? sentence.slice(0, -1) : sentence;
}

/** A sentence about the user that states the fact. `key` is normalised (snake_case). */
export function factSentence(key: string, value: string): string {
  const words = key.replaceAll('_', ' ');
  const boolean = booleanSentence(words, value);
  if (boolean !== null) return boolean;
  // In an affirmative sentence such a value would mean the opposite.
  if (DENIED.test(value)) return ended(`About the user's ${words}: ${value}.`);
  const row = SENTENCES.find(([pattern]) => pattern.test(key));
  const plural =
    /(?:[^s]s|children|people)$/.test(words) && !/(?:status|address|diagnosis|business)$/.test(words);
  const template = row?.[1] ?? `The user's {key} ${plural ? 'are' : 'is'} {}.`;
  // Uses functions as replacement, because a `$` in a value is a plain character.
  return ended(
    template
      .replace('{key}', () => words)
      .replace('{verb}', () => verbOf(key))
      .replace('{}', () => value),
  );
}
