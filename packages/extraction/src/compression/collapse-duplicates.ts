import type { Compressible } from './compressible.ts';

/** `from` say the same as `into`, which stays. */
export type Collapse = Readonly<{ into: string; from: readonly string[] }>;

/**
 * The form in which two memories are one: as `normaliseText`, and without the punctuation between words. Marks that
 * carry meaning (`-5`, `3.5`, `C++`, `10%`) stay, and so does the order of words.
 */
export function looseText(text: string): string {
  return text
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/[.,](?!\d)|(?<!\d)[.,]|[;:!?"'`´‘’“”„«»()[\]{}…。、，！？；：]/gu, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim();
}

/** The better of two that say the same: one that its key or question will find again, then the weightier, the older. */
function better(a: Compressible, b: Compressible): Compressible {
  const rank = (memory: Compressible): number => (memory.key !== null ? 2 : memory.kind === 'qa' ? 1 : 0);
  const difference = rank(b) - rank(a) || b.importance - a.importance || (a.id < b.id ? -1 : 1);
  return difference <= 0 ? a : b;
}

/**
 * Memories of one tier, project and topic that say the same but for spelling. Keyed facts stay, as their keys differ:
 * only what has no key of its own goes.
 */
export function collapseDuplicates(memories: readonly Compressible[]): Collapse[] {
  const groups = new Map<string, Compressible[]>();
  for (const memory of memories) {
    const key = JSON.stringify([memory.tier, memory.project, memory.topic, looseText(memory.content)]);
    groups.set(key, [...(groups.get(key) ?? []), memory]);
  }
  return [...groups.values()].flatMap((group) => {
    const kept = group.reduce(better);
    const from = group.filter((memory) => memory !== kept && memory.key === null).map(({ id }) => id);
    return from.length === 0 ? [] : [{ into: kept.id, from }];
  });
}
