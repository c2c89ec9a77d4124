import { languageModel } from './language.ts';
import { isAdverb, isSimplePresent, toPluralVerb, toThirdPersonVerb } from './verbs.ts';

/** How a speaker is named in facts: at the start of a sentence and inside of one. */
export type Speaker = { start: string; inside: string };

export function speakerOf(name: string | undefined, fallback: string): Speaker {
  const called = name === undefined || name.trim() === '' ? fallback : name.replaceAll(/\s+/g, ' ').trim();
  return { start: called, inside: called.startsWith('The ') ? `the ${called.slice(4)}` : called };
}

type Word = { pre: string; text: string; post: string; tags: ReadonlySet<string> };

function possessive(name: string): string {
  return name.endsWith('s') ? `${name}'` : `${name}'s`;
}

function wordsOf(text: string): Word[] {
  const sentences: unknown = languageModel()(text).json({ terms: { tags: true, text: true } });
  if (!Array.isArray(sentences)) return [];
  const words: Word[] = [];
  for (const { terms = [] } of sentences as {
    terms?: { pre?: string; text?: string; post?: string; tags?: string[] }[];
  }[]) {
    for (const { pre = '', text = '', post = '', tags = [] } of terms) {
      const previous = words.at(-1);
      // The second half of a contraction has no text of its own, only what follows it.
      if (text === '' && previous !== undefined) previous.post += pre + post;
      else words.push({ pre, text, post, tags: new Set(tags) });
    }
  }
  return words;
}

/** Index of the verb that belongs to the subject at `index`, adverbs skipped; -1 when there is none. */
function verbAfter(words: readonly Word[], index: number): number {
  for (let next = index + 1; next < words.length && next <= index + 4; next += 1) {
    if ((words[next - 1]?.post ?? '').includes(',') && next === index + 1) return -1;
    const text = (words[next]?.text ?? '').toLowerCase();
    if (text === 'no' && words[next + 1]?.text === 'longer') next += 1;
    else if (!isAdverb(text)) return /^\p{L}[\p{L}'-]*$/u.test(text) ? next : -1;
  }
  return -1;
}

/** Gives the verbs that `and` joins to the one at `verb` the same ending: "lives in Rome and works at". */
function agreeJoined(words: Word[], verb: number, pastContext: boolean): void {
  for (let index = verb + 1; index < words.length - 2; index += 1) {
    const text = (words[index]?.text ?? '').toLowerCase();
    if (/^(?:to|who|which|that|because|when|while|if|i|we|they|will|can)$/.test(text)) return;
    if (!/^(?:and|but|or)$/.test(text)) continue;
    const next = isAdverb((words[index + 1]?.text ?? '').toLowerCase()) ? index + 2 : index + 1;
    const word = words[next];
    if (word === undefined || next >= words.length - 1) return;
    const base = word.tags.has('Infinitive') || /^(?:don't|am|have)$/.test(word.text);
    if (base && !word.tags.has('Noun')) word.text = toThirdPersonVerb(word.text, pastContext);
  }
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

/** What is said to the listener is about them; they are always named, `they` is the speaker. */
function listenerWord(lower: string, listener: string): string | null {
  switch (lower) {
    case 'you':
    case 'ya':
      return listener;
    case 'yourself':
      return 'oneself';
    case 'your':
    case 'yours':
      return possessive(listener);
    default:
      return null;
  }
}

const BEFORE_OBJECT =
  /^(?:to|for|with|at|of|about|by|from|on|in|like|than|as|thank|see|tell|told|give|gave|giving|helps?|helped|helping|makes?|made|making|lets?|letting|gets?|got|shows?|showed|asks?|asked|keeps?|kept|keeping|love|miss|missed|brings?|brought|taught|teach|sent|send|join|meet|met|support|supports|wish|wishing|want|need|hear|heard|seeing|hearing)$/i;

/** Whether `you` at `index` does something, so that the verb after it must agree with a name. */
function isSubject(words: readonly Word[], index: number): boolean {
  const verb = verbAfter(words, index);
  const previous = words[index - 1]?.text ?? '';
  const tags = words[verb]?.tags;
  const isVerb = tags !== undefined && (tags.has('Verb') || tags.has('Modal')) && !tags.has('Gerund');
  return isVerb && !BEFORE_OBJECT.test(previous);
}

/** Puts a subject's name in its place and makes its verb agree. */
function agreeAt(words: Word[], index: number, plural: boolean, pastContext: boolean): void {
  const at = verbAfter(words, index);
  const verb = words[at];
  if (verb === undefined) return;
  const base = verb.text.toLowerCase();
  // "I and my sister love": plural as it stands.
  if (/^(?:and|or)$/.test(base)) return;
  if (plural) {
    verb.text = toPluralVerb(base);
    return;
  }
  if (isSimplePresent(base, pastContext)) agreeJoined(words, at, pastContext);
  verb.text = toThirdPersonVerb(base, pastContext);
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
  const words = wordsOf(clause);
  let named = false;
  let first = true;
  for (const [index, word] of words.entries()) {
    // Only the abbreviation is written "US".
    const lower = word.text === 'US' ? word.text : word.text.toLowerCase();
    const heard = listener === null ? null : listenerWord(lower, listener);
    if (heard !== null) {
      if (lower === 'you' && isSubject(words, index)) agreeAt(words, index, false, pastContext);
      word.text = heard;
      first = false;
      continue;
    }
    const replaced = replacement(lower, first, named, speaker);
    first = false;
    if (replaced === null) {
      if (lower === 'am') word.text = named ? 'are' : 'is';
      continue;
    }
    const joinedSubject = /^(?:and|or)$/i.test(words[index - 1]?.text ?? '');
    if (lower === 'i' || lower === 'we') agreeAt(words, index, named || joinedSubject, pastContext);
    word.text = replaced;
    named = true;
  }
  return sentence(words.map((word) => word.pre + word.text + word.post).join(''));
}

/** Begins with a capital, ends with one full stop. */
export function sentence(text: string): string {
  const trimmed = text
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/\s+([,.])/g, '$1')
    .trim()
    .replace(/[\s.!?,;:–—-]{1,20}$/, '');
  if (trimmed === '') return '';
  return `${trimmed.charAt(0).toUpperCase()}${trimmed.slice(1)}.`;
}

/** Whether the first word of a text keeps its capital inside of a sentence. */
export function startsWithName(text: string): boolean {
  const word = wordsOf(text.slice(0, 80))[0];
  return (
    word === undefined ||
    word.tags.has('ProperNoun') ||
    word.tags.has('Acronym') ||
    /^.?\p{Lu}/u.test(word.text.slice(1))
  );
}
