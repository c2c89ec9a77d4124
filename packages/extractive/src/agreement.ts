import { languageModel } from './language.ts';
import { isAdverb, isPastForm, isSimplePresent, toPluralVerb, toThirdPersonVerb } from './verbs.ts';

/** A word with what stands around it and its parts of speech. */
export type Word = { pre: string; text: string; post: string; tags: ReadonlySet<string> };

/** The words of a text; joined again with `pre` and `post` they are the text. */
export function tagWords(text: string): Word[] {
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

/** Verbs for certain where `and` or a list joins them to the first one, also to "am" and "have". */
const CERTAIN_VERB =
  /^(?:am|have|don't|feel|want|need|think|know|hope|hate|love|prefer|weigh|own|teach|speak)$/;

/** Gives the verbs that `and` joins to the one at `verb` the same ending: "lives in Rome and works at". */
function agreeJoined(words: Word[], verb: number, pastContext: boolean, isAuxiliary: boolean): void {
  for (let index = verb + 1; index < words.length - 1; index += 1) {
    const text = (words[index]?.text ?? '').toLowerCase();
    if (
      /^(?:to|who|which|that|because|when|while|if|i|we|they|will|can|how|what|where|it|lets?|helps?|makes?|so)$/.test(
        text,
      )
    )
      return;
    // "I live in Oslo, have a boat, and sail"
    const word = words[index];
    const isListed = words[index - 1]?.post.includes(',') === true && CERTAIN_VERB.test(text);
    if (isListed && word?.tags.has('Noun') === false) word.text = toThirdPersonVerb(text, pastContext);
    if (!/^(?:and|but|or)$/.test(text)) continue;
    const next = isAdverb((words[index + 1]?.text ?? '').toLowerCase()) ? index + 2 : index + 1;
    const joined = words[next];
    // "Rock and roll" is a thing; behind an adverb there is a verb.
    if (joined === undefined || (next >= words.length - 1 && next === index + 1)) return;
    // "Hiking and rock climbing" are things.
    if (words[next + 1]?.text.endsWith('ing') === true) return;
    // "I have a cat and often foster kittens"
    const mayBeVerb = !isAuxiliary || next === index + 2;
    const base = CERTAIN_VERB.test(joined.text) || (mayBeVerb && joined.tags.has('Infinitive'));
    if (base && !joined.tags.has('Noun')) joined.text = toThirdPersonVerb(joined.text, pastContext);
  }
}

/** "Moved out and now share a flat": what holds now agrees, whatever was before. */
function agreeNow(words: readonly Word[], verb: number): void {
  const joint = words.findIndex(
    ({ text }, index) => index > verb && /^(?:and|but)$/.test(text) && words[index + 1]?.text === 'now',
  );
  const word = words[joint + 2];
  if (joint > 0 && word?.tags.has('Infinitive') === true) word.text = toThirdPersonVerb(word.text);
}

const BEFORE_OBJECT =
  /^(?:to|for|with|at|of|about|by|from|on|in|like|than|as|thank|see|tell|told|give|gave|giving|helps?|helped|helping|makes?|made|making|lets?|letting|gets?|got|shows?|showed|asks?|asked|keeps?|kept|keeping|love|miss|missed|brings?|brought|taught|teach|sent|send|join|meet|met|support|supports|wish|wishing|want|need|hear|heard|seeing|hearing)$/i;

const OTHER_THAN_VERB = ['Preposition', 'Conjunction', 'Determiner', 'Pronoun', 'ProperNoun'];

/** Whether `you` at `index` does something, so that the verb after it must agree with a name. */
export function isSubject(words: readonly Word[], index: number): boolean {
  const verb = verbAfter(words, index);
  const previous = words[index - 1]?.text ?? '';
  const tags = words[verb]?.tags;
  if (tags === undefined || tags.has('Gerund')) return false;
  if (verb === index + 1 && /^(?:are|were|have)$/.test(words[verb]?.text ?? '')) return true;
  // At the start of a clause, what follows `you` is its verb, even if it looks like a noun ("you play").
  const isVerb =
    tags.has('Verb') || tags.has('Modal') || (index === 0 && !OTHER_THAN_VERB.some((tag) => tags.has(tag)));
  return isVerb && !BEFORE_OBJECT.test(previous);
}

/** Puts a subject's name in its place and makes its verb agree. */
export function agreeAt(words: Word[], index: number, plural: boolean, pastContext: boolean): void {
  let at = verbAfter(words, index);
  // "color-code" agrees at its end.
  while (words[at]?.post === '-' && words[at + 1] !== undefined) at += 1;
  const verb = words[at];
  if (verb === undefined) return;
  const base = verb.text.toLowerCase();
  // "I and my sister love": plural as it stands.
  if (/^(?:and|or)$/.test(base)) return;
  // "We two friends": what follows is no verb.
  if (verb.tags.has('Plural')) return;
  if (plural) {
    verb.text = toPluralVerb(base);
    return;
  }
  // After "am" and "have", what `and` joins is seldom a verb of the same kind.
  if (isSimplePresent(base, pastContext)) agreeJoined(words, at, pastContext, /^(?:am|are|have)$/.test(base));
  else if (isPastForm(base, pastContext)) agreeNow(words, at);
  verb.text = toThirdPersonVerb(base, pastContext);
}
