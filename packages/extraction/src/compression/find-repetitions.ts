import type { Compressible } from './compressible.ts';

/** The memories of `from` repeat `into`, which stays. */
export type Repetition = Readonly<{ into: string; from: readonly string[] }>;

/**
 * Two memories with the same form are repetitions: as `normaliseText`, without punctuation between words. Marks
 * with a meaning (`-5`, `3.5`, `C++`, `10%`) and the order of words stay.
 */
export function looseText(text: string): string {
  return text
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/[.,](?!\d)|(?<!\d)[.,]|[;:!?"'`´‘’“”„«»()[\]{}…。、，！？；：]/gu, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim();
}

/** The one of two repetitions that stays: one with a key or question, then the more important, then the older. */
function better(a: Compressible, b: Compressible): Compressible {
  const rank = (memory: Compressible): number => (memory.key !== null ? 2 : memory.kind === 'qa' ? 1 : 0);
  const difference = rank(b) - rank(a) || b.importance - a.importance || (a.id < b.id ? -1 : 1);
  return difference <= 0 ? a : b;
}

/**
 * Finds memories of one tier, project and topic with the same text but for spelling. Keyed facts stay, because
 * their keys differ: only memories without a key are dropped.
 */
export function findRepetitions(memories: readonly Compressible[]): Repetition[] {
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
