/** Number words. Other forms of a number differ by their digits. */
const NUMBER_WORDS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    zero: '0', one: '1', once: '1', first: '1', two: '2', twice: '2', second: '2', three: '3', third: '3', four: '4',
    fourth: '4', five: '5', fifth: '5', six: '6', sixth: '6', seven: '7', seventh: '7', eight: '8', eighth: '8',
    nine: '9', ninth: '9', ten: '10', tenth: '10', eleven: '11', twelve: '12', dozen: '12', thirteen: '13',
    fourteen: '14', fifteen: '15', sixteen: '16', seventeen: '17', eighteen: '18', nineteen: '19', twenty: '20',
    thirty: '30', forty: '40', fifty: '50', sixty: '60', seventy: '70', eighty: '80', ninety: '90', hundred: '100',
    thousand: '1000', million: '1000000', half: '1/2', quarter: '1/4',
  }), // prettier-ignore
);

const DAYS_AND_MONTHS =
  /^(?:(?:mon|tues|wednes|thurs|fri|satur|sun)days?|january|february|april|june|july|august|september|october|november|december)$/;

/** Words that negate or end a statement. `n't` is handled where words are read. */
const NEGATIONS: ReadonlySet<string> = new Set(
  'not no never none nobody nothing neither nor cannot without except unless stopped stops stop quit former formerly anymore ex'.split(
    ' ',
  ),
);

/** Words that start a sentence in upper case without being names. */
const STARTERS: ReadonlySet<string> = new Set(
  'a an and as at but by for from he her his i if in is it its my of on our she so that the their they this to user users was we when with you your q'.split(
    ' ',
  ),
);

/** Capitalised for other reasons: never a name. */
const NO_NAMES: ReadonlySet<string> = new Set(['i', 'user', 'users']);

const WORD = /[\p{L}\p{M}\p{N}]+(?:['.:,/-][\p{L}\p{M}\p{N}]+)*/gu;

/**
 * The words that distinguish statements: numbers (`#14`), days and months (`@tuesday`), names (`utrecht`) and
 * negations (`!not`). Two texts that differ in one of them state different things, even when an embedding model
 * finds them equal. In doubt a word counts, which only keeps two texts apart: in a text without upper case every
 * word counts, because names do not show; scripts without case count word for word.
 */
export function distinguishingWords(text: string): ReadonlySet<string> {
  const normal = text.normalize('NFKC').replaceAll('’', "'");
  const hasUpperCase = /\p{Lu}/u.test(normal);
  const found = new Set<string>();
  for (const match of normal.matchAll(WORD)) {
    const isStart = /(?:^|[.!?:\n"“]\s{0,7})$/u.test(normal.slice(Math.max(0, match.index - 8), match.index));
    const mark = markOf(match[0], { isStart, hasUpperCase });
    if (mark !== null) found.add(mark);
  }
  return found;
}

function markOf(word: string, place: { isStart: boolean; hasUpperCase: boolean }): string | null {
  const lower = word.toLowerCase().replace(/'s$/, '');
  if (lower.endsWith("n't")) return '!not';
  if (NEGATIONS.has(lower)) return `!${/^(?:no|n|cannot)/.test(lower) ? 'not' : lower}`;
  if (/\p{N}/u.test(lower)) return `#${lower.replaceAll(',', '').replace(/(?<=\d)(?:st|nd|rd|th)$/, '')}`;
  const number = NUMBER_WORDS.get(lower);
  if (number !== undefined) return `#${number}`;
  if (DAYS_AND_MONTHS.test(lower)) return `@${lower.replace(/days$/, 'day')}`;
  if (/\p{Lo}/u.test(lower)) return lower;
  if (!place.hasUpperCase) return STARTERS.has(lower) ? null : lower;
  if (!/^\p{Lu}|^\p{Lt}/u.test(word) || NO_NAMES.has(lower)) return null;
  return place.isStart && STARTERS.has(lower) ? null : lower;
}

/** Whether two texts have the same distinguishing words. */
export function agreeInWords(left: string, right: string): boolean {
  const a = distinguishingWords(left);
  const b = distinguishingWords(right);
  return a.size === b.size && isContained(a, b);
}

/** Whether `text` has no number, date or name that `known` lacks, and the same negations. */
export function addsNoWords(text: string, known: string): boolean {
  const added = distinguishingWords(text);
  const there = distinguishingWords(known);
  const negated = [...there].filter((word) => word.startsWith('!'));
  return isContained(added, there) && negated.every((word) => added.has(word));
}

/**
 * The numbers, dates and names of `text` that no source has in any form. `one` is exempt: it is more often a
 * pronoun than a number.
 */
export function inventedWords(text: string, sources: readonly string[]): string[] {
  const words = new Set<string>();
  for (const source of sources) {
    for (const word of distinguishingWords(source)) words.add(word);
    for (const [word] of source.normalize('NFKC').replaceAll('’', "'").matchAll(WORD)) {
      words.add(word.toLowerCase().replace(/'s$/, ''));
    }
  }
  return [...distinguishingWords(text)].filter(
    (word) => !word.startsWith('!') && word !== '#1' && !words.has(word),
  );
}

function isContained(part: ReadonlySet<string>, whole: ReadonlySet<string>): boolean {
  for (const word of part) if (!whole.has(word)) return false;
  return true;
}
