import { normaliseKey } from '@factmill/extraction';
import { isPastForm } from './verbs.ts';

/** What follows a value in a sentence, but is not part of it. */
const VALUE_END =
  /(?:[,;:()!?]|(?<!\b(?:Mr|Mrs|Ms|Dr|Prof|St))\.(?=\s|$)|\s[–—-]\s)|\s(?:and (?:I|we|my|our)|but|because|since|so|who|which|where|that|when|while|with|for|as|at|from|until|though|although|after|before|during|around|by myself|right now|now|these days|nowadays|currently|at the moment|again|recently|together|already|too|instead|last|next|this (?:year|month|week)|originally|actually|anyway|temporarily|permanently|anymore|any more|on (?:\d+|the)|in (?:\d+|the week|the (?:spring|summer|autumn|fall|winter) of|January|February|March|April|May|June|July|August|September|October|November|December))(?=[\s,.]|$)/;

/** The longest value worth a fact of its own. */
const MAX_VALUE_WORDS = 8;

/** Cuts a captured value where another part of the sentence begins. */
export function trimValue(value: string): string {
  const end = value.search(VALUE_END);
  return (end < 0 ? value : value.slice(0, end)).replace(/^(?:a|an|the) (?=\p{Ll})/u, '').trim();
}

/** Values are stored as they were said: one that needs the speaker to be understood is none. */
const FIRST_PERSON = /\b(?:I|[Mm]e|[Mm]y|[Mm]ine|[Mm]yself|[Ww]e|[Oo]urs?|us)\b/;

/** Whether a value names something, as opposed to a whole clause or a pronoun. */
export function isValue(value: string): boolean {
  const words = value.split(' ');
  return (
    value !== '' &&
    !FIRST_PERSON.test(value) &&
    words.length <= MAX_VALUE_WORDS &&
    !/^(?:it|this|that|them|him|her|there|here|something|someone|things?|stuff|lots?|both|which|who)$/i.test(
      value,
    )
  );
}

/** What a list of values ends at: "nuts, so I carry a pen", "fish and went home". */
const LIST_END =
  /^(?:so|but|because|since|which|who|that|though|although|while|when|where|after|before|until|if|as|then|it|he|she|they|there|is|are|was|were|has|have|had|can|can't|will|won't|don't|do|does|please)\b/i;

function endsList(part: string): boolean {
  const first = part.split(' ', 1)[0]?.toLowerCase() ?? '';
  return LIST_END.test(part) || isPastForm(first);
}

/** "peanuts, shellfish and cats" → three values. */
export function splitValues(value: string): string[] {
  const parts = value.split(/\s{0,4},\s{0,4}(?:and |or )?|\s{1,4}(?:and|or|&)\s{1,4}/);
  const end = parts.findIndex((part) => endsList(part));
  return (end < 0 ? parts : parts.slice(0, end))
    .map((part) =>
      trimValue(
        part.replace(
          /^(?:a (?:(?:little |tiny )?bit of|little|few words of)|some|also|both|fluent|basic|native|decent|good|fair|broken|passable|rusty|conversational)\s+/i,
          '',
        ),
      ),
    )
    .filter((part) => isValue(part));
}

/** A value as part of a key, snake_case. All of its words: what is cut off could be what tells two facts apart. */
export function slug(value: string): string {
  return normaliseKey(value)
    .replace(/^favorite/, 'favourite')
    .replaceAll(/\bcolor\b|(?<=_)color\b/g, 'colour');
}
