/** Characters that are compared in one search. Without a bound, a few hundred long memories blocked it for 0.9 s. */
const MAX_COMPARED = 200_000;

/** The texts; where they are too long together, as many characters of each as are left for it. */
export function boundedTexts(texts: readonly string[]): readonly string[] {
  const total = texts.reduce((sum, { length }) => sum + length, 0);
  if (total <= MAX_COMPARED) return texts;
  let left = MAX_COMPARED;
  const lengths: number[] = [];
  // The shortest first: what they leave is shared by the longer ones.
  const byLength = texts.map((_, at) => at).sort((a, b) => (texts[a]?.length ?? 0) - (texts[b]?.length ?? 0));
  for (const [place, at] of byLength.entries()) {
    const length = Math.min(texts[at]?.length ?? 0, Math.floor(left / (texts.length - place)));
    lengths[at] = length;
    left -= length;
  }
  return texts.map((text, at) => text.slice(0, lengths[at]));
}
