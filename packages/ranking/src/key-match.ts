const PART = /[\p{L}\p{N}\p{M}]+/gu;

/**
 * How well a memory's key and category match the terms of a query: the share of the key's words (`home_town` has
 * two) among the terms, and half as much for the category. 0 to 1.
 */
export function keyMatch(
  terms: readonly string[],
  memory: Readonly<{ key: string | null; category: string }>,
): number {
  const key = memory.key === null ? 0 : shareOf(memory.key, terms);
  return Math.max(key, shareOf(memory.category, terms) / 2);
}

function shareOf(name: string, terms: readonly string[]): number {
  const words = name.toLowerCase().match(PART) ?? [];
  return words.length === 0 ? 0 : words.filter((word) => terms.includes(word)).length / words.length;
}
