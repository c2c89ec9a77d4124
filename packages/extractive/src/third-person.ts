import { agreeAt, isSubject, tagWords, type Word } from './agreement.ts';

/** How a speaker is named in facts: at the start of a sentence and inside of one. */
export type Speaker = { start: string; inside: string };

export function speakerOf(name: string | undefined, fallback: string): Speaker {
  const called = name === undefined || name.trim() === '' ? fallback : name.replaceAll(/\s+/g, ' ').trim();
  return { start: called, inside: called.startsWith('The ') ? `the ${called.slice(4)}` : called };
}

function possessive(name: string): string {
  return name.endsWith('s') ? `${name}'` : `${name}'s`;
}

/** Replaces one first-person word; `named` tells whether the speaker was already named in the sentence. */
function replacement(lower: string, first: boolean, named: boolean, speaker: Speaker): string | null {
  const name = first ? speaker.start : speaker.inside;
  switch (lower) {
    case 'i':
    case 'we':
      return named ? 'they' : name;
    case 'my':
    case 'our':
      return named ? 'their' : possessive(name);
    case 'me':
    case 'us':
      return named ? 'them' : name;
    case 'mine':
    case 'ours':
      return named ? 'theirs' : possessive(name);
    case 'myself':
      return 'themselves';
    // "Taking care of ourselves matters" is said of everybody.
    case 'ourselves':
    case 'ourself':
      return named ? 'themselves' : 'oneself';
    default:
      return null;
  }
}

/** What is said to the listener is about them; `isKnown`: only they were named so far, and `they` is them. */
function listenerWord(lower: string, listener: string, isKnown: boolean): string | null {
  switch (lower) {
    case 'you':
    case 'ya':
      return isKnown ? 'they' : listener;
    case 'yourself':
      return isKnown ? 'themselves' : 'oneself';
    case 'your':
    case 'yours':
      return isKnown ? (lower === 'your' ? 'their' : 'theirs') : possessive(listener);
    default:
      return null;
  }
}

/**
 * Where the speaker is named first: "after losing my job, I moved" is "after losing their job, Ann moved". 0 where the
 * first word of the speaker is.
 */
function namedFrom(words: readonly Word[]): number {
  const [opener, gerund] = words;
  const isOpened =
    /^(?:after|before|since|while|when|by|without|despite|besides)$/i.test(opener?.text ?? '') &&
    /\p{L}{2}ing$/u.test(gerund?.text ?? '');
  if (!isOpened) return 0;
  const comma = words.findIndex(({ post }) => post.includes(','));
  const isSubject = comma > 0 && /^(?:I|we)$/.test(words[comma + 1]?.text ?? '');
  return isSubject ? comma + 1 : 0;
}

/**
 * Rewrites a first-person clause into a sentence about the speaker: "I don't live with my parents" → "The
 * user doesn't live with their parents." The speaker is named once, then `they`; verbs agree. `We` becomes
 * the speaker as well: what a group did, its member did. With a `listener`, `you` becomes their name. No
 * first-person word is left.
 */
export function toThirdPerson(
  clause: string,
  speaker: Speaker,
  pastContext: boolean,
  listener: string | null = null,
): string {
  const words = tagWords(clause);
  const from = namedFrom(words);
  let named = false;
  let first = true;
  let isHeard = false;
  for (const [index, word] of words.entries()) {
    // Only the abbreviation is written "US".
    const lower = word.text === 'US' ? word.text : word.text.toLowerCase();
    const heard = listener === null ? null : listenerWord(lower, listener, isHeard && !named);
    if (heard !== null) {
      if (lower === 'you' && isSubject(words, index)) agreeAt(words, index, heard === 'they', pastContext);
      word.text = heard === 'they' && !isSubject(words, index) ? 'them' : heard;
      first = false;
      isHeard = true;
      continue;
    }
    const replaced = replacement(lower, first, named || index < from, speaker);
    first = false;
    if (replaced === null) {
      if (word.text === 'am' && !/\d$/.test(words[index - 1]?.text ?? '')) word.text = named ? 'are' : 'is';
      continue;
    }
    const joinedSubject = /^(?:and|or)$/i.test(words[index - 1]?.text ?? '');
    if (lower === 'i' || lower === 'we') agreeAt(words, index, named || joinedSubject, pastContext);
    word.text = replaced;
    named = index >= from;
  }
  return sentence(words.map((word) => word.pre + word.text + word.post).join(''));
}

/** Begins with a capital, ends with one full stop. */
function sentence(text: string): string {
  const trimmed = text
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/\s{1,4}([,.])(?=\s|$)/g, '$1')
    .trim()
    .replace(/^[\s.!?,;:)\]–—-]{1,20}/, '')
    .replace(/^(?:and|but) (?=[\p{Ll}I])/iu, '')
    .replace(/[\s.!?,;:–—-]{1,20}$/, '');
  const bare = withoutOpeningBracket(trimmed);
  if (bare === '') return '';
  return `${bare.charAt(0).toUpperCase()}${bare.slice(1)}.`;
}

/** A sentence begins with a word: `(so) I sail` → `so I sail`. */
function withoutOpeningBracket(text: string): string {
  let bare = text;
  while (/^[([{]/.test(bare))
    bare = bare
      .slice(1)
      .replace(/[)\]}]/, '')
      .trim();
  return bare;
}

/** Whether the first word of a text keeps its capital inside of a sentence. */
export function startsWithName(text: string): boolean {
  const word = tagWords(text.slice(0, 80))[0];
  return (
    word === undefined ||
    word.tags.has('ProperNoun') ||
    word.tags.has('Acronym') ||
    /^.?\p{Lu}/u.test(word.text.slice(1))
  );
}
