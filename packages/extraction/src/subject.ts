import { normaliseText } from './content-hash.ts';

/** The subject of a memory: facts replace each other by category and key, Q/A pairs by their question. Null without one. */
export function subjectOf(memory: {
  kind: string;
  category: string;
  key: string | null;
  question?: string | null;
}): string | null {
  if (memory.kind === 'qa') {
    return typeof memory.question === 'string'
      ? JSON.stringify(['qa', normaliseText(memory.question)])
      : null;
  }
  return memory.kind === 'fact' && memory.key !== null
    ? JSON.stringify(['fact', memory.category, memory.key])
    : null;
}
