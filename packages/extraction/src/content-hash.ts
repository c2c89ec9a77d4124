import { createHash } from 'node:crypto';

/** Two texts with the same form count as equal: NFKC, lower case, single spaces, without punctuation at the end. */
export function normaliseText(text: string): string {
  const folded = text.normalize('NFKC').toLowerCase().replaceAll(/\s+/g, ' ').trim();
  let end = folded.length;
  // Scans backwards: a regular expression with `$` would start again at every mark in the text.
  while (end > 0 && /[\p{P}\s]/u.test(folded.charAt(end - 1))) end -= 1;
  return end === 0 ? folded : folded.slice(0, end);
}

/** SHA-256 (hex) of the normalised text: equal for texts that differ only in spacing or case. */
export function contentHash(text: string): string {
  return createHash('sha256').update(normaliseText(text)).digest('hex');
}

/**
 * A fact's key as stored: snake_case, lower case, letters of any script kept, at most 100 characters.
 * Empty when the text has no letter or digit.
 */
export function normaliseKey(key: string): string {
  return key
    .normalize('NFKC')
    .replaceAll(/(\p{Ll})(\p{Lu})/gu, '$1_$2')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{M}\p{N}]+/gu, '_')
    .slice(0, 101)
    .replace(/^_/, '')
    .slice(0, 100)
    .replace(/_$/, '');
}
