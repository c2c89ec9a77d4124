/** `1.7b`, `135m`, `8x7b`: billions or millions of parameters, of each of several experts. */
const SIZE = /(?<![a-z\d.])(?:(\d{1,3})x|e)?(\d{1,4}(?:\.\d{1,3})?)([bm])(?![a-z\d])/i;

/** Models that answer no questions. */
const NO_CHAT =
  /embed|rerank|\bbge\b|\be5\b|\bgte\b|minilm|colbert|guard|moderation|reward|whisper|\basr\b|\btts\b|speech|audio|\bocr\b|diffusion|\bflux\b/i;

/** The size in a model's name, in billions of parameters; null when it has none. */
export function sizeOf(name: string): number | null {
  const [, experts = '1', size, unit = ''] = SIZE.exec(name) ?? [];
  if (size === undefined) return null;
  return (Number(experts) * Number(size)) / (unit.toLowerCase() === 'm' ? 1_000 : 1);
}

/** The chat model of the smallest size in its name, the first by name of several; null when no name has a size. */
export function smallestModel(names: readonly string[]): string | null {
  const sized = names.flatMap((name) => {
    const size = NO_CHAT.test(name) ? null : sizeOf(name);
    return size === null ? [] : [{ name, size }];
  });
  sized.sort((a, b) => a.size - b.size || (a.name < b.name ? -1 : 1));
  return sized[0]?.name ?? null;
}
