/**
 * Numbers for one computation that awaits nothing and keeps nothing of them; the next one gets the same, as the last one
 * left them. Searches that each take a few hundred kilobytes anew keep the garbage collector busy.
 */
export function createScratch<Numbers extends Int16Array | Uint32Array>(
  create: (length: number) => Numbers,
): (length: number) => Numbers {
  let numbers = create(0);
  return (length) => {
    if (numbers.length < length) numbers = create(length);
    return numbers;
  };
}
