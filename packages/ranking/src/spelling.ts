/** Shorter words have too many neighbours: `race` and `rice` are two words. */
export const MIN_SPELT_CHARACTERS = 4;
/** Longer ones are no words of a language. */
export const MAX_SPELT_CHARACTERS = 40;
/** From so many letters on, one may be any other, and two may differ. */
const LONG = 7;
const LONGER = 8;
/** Shorter stems are the beginning of too much. */
const MIN_STEM = 5;
/** More are another word. */
const MAX_MISTAKES = 2;
const MANY = MAX_MISTAKES + 1;
/** Of the table of distances, for all comparisons: letters may be more without accents, and longer words are not compared. */
const ROW_LENGTH = 64;
const ROWS = [new Uint8Array(ROW_LENGTH), new Uint8Array(ROW_LENGTH), new Uint8Array(ROW_LENGTH)] as const;
const VOWEL = /^[aeiouy]$/;
const FOLDED: Readonly<Record<string, string>> = {
  ß: 'ss',
  æ: 'ae',
  ø: 'o',
  đ: 'd',
  ł: 'l',
  œ: 'oe',
  ı: 'i',
};
/** In letters: accents and `ß` take one more at most. */
const MAX_DIFFERENCE = 4;
const PLAIN = /^[a-z]+$/;
const [LOWER_A, LOWER_Z] = [97, 122];
const MARKED = /[ßæøđłœı]/g;

/**
 * How much a word looks like another one that was meant, 0 to 1: 0 when it is rather a word of its own, 1 when they
 * differ in accents only. One mistake is a letter too many, too few or in another's place, or two that changed places;
 * in a short word only the mistakes that are made most.
 */
export function spellingSimilarity(given: string, meant: string): number {
  if (beginsUnlike(given, meant) || Math.abs(given.length - meant.length) > MAX_DIFFERENCE) return 0;
  if (given === meant) return 1;
  if (Math.max(given.length, meant.length) > MAX_SPELT_CHARACTERS) return 0;
  const [a, b] = [fold(given), fold(meant)];
  if (a === b) return 1;
  if (Math.min(a.length, b.length) < MIN_SPELT_CHARACTERS || !mayBeginAlike(a, b)) return 0;
  const longer = Math.max(a.length, b.length);
  const mistakes = distance(a, b);
  const isSwapped = mistakes <= (longer > MIN_STEM ? 2 : 1) && haveSameLetters(a, b);
  const isFew = mistakes === 1 ? longer >= LONG || isUsual(a, b) : mistakes === 2 && longer >= LONGER;
  return isSwapped || isFew ? 1 - mistakes / longer : 0;
}

/**
 * As `spellingSimilarity`, where what was meant is the stem of a word: the ending of the given one, whose mistake may
 * keep full text from cutting it off, does not count.
 */
export function stemSimilarity(given: string, stem: string): number {
  if (beginsUnlike(given, stem)) return 0;
  const whole = spellingSimilarity(given, stem);
  const ending = given.length - stem.length;
  if (whole > 0 || stem.length < MIN_STEM || ending < 1 || ending > MAX_DIFFERENCE) return whole;
  return Math.max(...[-1, 0, 1].map((more) => spellingSimilarity(given.slice(0, stem.length + more), stem)));
}

/**
 * Whether none of the first two characters of one word is one of the other's, so that `mayBeginAlike` is false. A quick
 * answer for most pairs of words. Characters beyond ASCII and capitals may still be folded.
 */
function beginsUnlike(given: string, meant: string): boolean {
  const [a, b] = [given.charCodeAt(0), given.charCodeAt(1)];
  const [c, d] = [meant.charCodeAt(0), meant.charCodeAt(1)];
  return a !== c && a !== d && b !== c && b !== d && isPlain(a) && isPlain(b) && isPlain(c) && isPlain(d);
}

function isPlain(code: number): boolean {
  return code >= LOWER_A && code <= LOWER_Z;
}

/** The first letter is seldom wrong: it is then the only mistake. */
function mayBeginAlike(a: string, b: string): boolean {
  if (a[0] === b[0] || (a[0] === b[1] && a[1] === b[0])) return true;
  if (Math.max(a.length, b.length) < LONG) return false;
  return a.slice(1) === b || a === b.slice(1) || a.slice(1) === b.slice(1);
}

/** Without accents, in lower case. */
function fold(word: string): string {
  if (PLAIN.test(word)) return word;
  const plain = word.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
  return plain.replace(MARKED, (letter) => FOLDED[letter] ?? letter);
}

/** One vowel for another, a letter doubled or not, or one letter more or less in a word of six. */
function isUsual(a: string, b: string): boolean {
  let at = 0;
  while (a[at] === b[at]) at += 1;
  if (a.length === b.length)
    return a.length > MIN_SPELT_CHARACTERS && VOWEL.test(a[at] ?? '') && VOWEL.test(b[at] ?? '');
  const longer = a.length > b.length ? a : b;
  return longer.length >= LONG - 1 || longer[at] === longer[at - 1];
}

function haveSameLetters(a: string, b: string): boolean {
  if (a.length !== b.length) return false;
  let [from, to] = [0, a.length];
  while (from < to && a[from] === b[from]) from += 1;
  while (from < to && a[to - 1] === b[to - 1]) to -= 1;
  const sorted = (word: string) => word.slice(from, to).split('').sort().join('');
  return sorted(a) === sorted(b);
}

/**
 * Damerau and Levenshtein's distance where no part is changed twice (optimal string alignment), as far as it is told
 * apart: MANY stands for all above MAX_MISTAKES. Places that are further apart than that cannot meet (Ukkonen, 1985).
 */
function distance(a: string, b: string): number {
  const longer = Math.max(a.length, b.length);
  if (Math.abs(a.length - b.length) > MAX_MISTAKES || longer >= ROW_LENGTH) return MANY;
  let [before, last, row] = ROWS;
  for (let j = 0; j <= b.length; j += 1) last[j] = j;
  for (let i = 1; i <= a.length; i += 1) {
    row.fill(MANY, 0, b.length + 1);
    row[0] = i;
    const to = Math.min(b.length, i + MAX_MISTAKES);
    for (let j = Math.max(1, i - MAX_MISTAKES); j <= to; j += 1) {
      const cost = a[i - 1] === b[j - 1] ? 0 : 1;
      let least = Math.min((last[j] ?? MANY) + 1, (row[j - 1] ?? MANY) + 1, (last[j - 1] ?? MANY) + cost);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) {
        least = Math.min(least, (before[j - 2] ?? MANY) + 1);
      }
      row[j] = least;
    }
    [before, last, row] = [last, row, before];
  }
  return Math.min(MANY, last[b.length] ?? MANY);
}
