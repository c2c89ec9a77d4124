/** Neighbours together, as many as have at most so many characters; one that is longer stands alone. */
export function grouped<T>(
  items: readonly T[],
  { lengthOf, maxLength }: { lengthOf: (item: T) => number; maxLength: number },
): T[][] {
  const groups: T[][] = [];
  let length = 0;
  for (const item of items) {
    const group = groups.at(-1);
    length += lengthOf(item) + 1;
    if (group === undefined || length > maxLength) {
      groups.push([item]);
      length = lengthOf(item) + 1;
    } else group.push(item);
  }
  return groups;
}
