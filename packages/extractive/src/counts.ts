/** Words for small numbers. */
const COUNTS: ReadonlyMap<string, number> = new Map([
  ...'one two three four five six seven eight nine ten eleven twelve'
    .split(' ')
    .map((word, index) => [word, index + 1] as const),
  ['a', 1],
  ['an', 1],
  ['couple of', 2],
  ['few', 3],
  ['several', 3],
]);

/** A number in digits or as a word, for patterns. */
export const COUNT: string = `\\d{1,3}|${[...COUNTS.keys()].join('|')}`;

/** What a word that matches `COUNT` stands for; "few" and "several" are about three. */
export function countOf(word: string): number {
  return COUNTS.get(word.toLowerCase()) ?? Number(word);
}
