import { listUnindexedTurns, saveTurnParts, type Sql, type UnindexedTurn } from '@factmill/database';
import { screenStatement } from '@factmill/extraction';
import { chunkText } from '@factmill/extraction/documents';

/** Turns that are stored together. */
const PAGE = 100;
/**
 * Characters of a part: a paragraph. The vector of a longer text says too little about each statement in it; a shorter
 * one loses what its sentences have in common.
 */
const PART_CHARACTERS = 500;
/** So many of the first parts of a turn are found; what follows (long code, a pasted text) is not. */
const MAX_PARTS = 12;

export type IndexTurnsDeps = Readonly<{
  database: Sql;
  /** Whether parts are to have vectors. */
  wantsVectors: boolean;
  newId: () => string;
}>;

/**
 * Makes stored turns searchable, until none is left or the time is over: cuts them into parts, which are found by their
 * words at once and by meaning when their vectors follow. Resolves to how many turns there were.
 */
export function createIndexTurns({ database, wantsVectors, newId }: IndexTurnsDeps) {
  return async (signal: AbortSignal, isOver: () => boolean = () => false): Promise<number> => {
    let indexed = 0;
    for (;;) {
      signal.throwIfAborted();
      const turns = await listUnindexedTurns(database, PAGE);
      if (turns.length === 0) return indexed;
      const parts = turns.flatMap(({ content, ...turn }) =>
        cut(content).map((part, position) => ({ id: newId(), ...turn, position, content: part })),
      );
      await saveTurnParts(database, turns, parts, { wantsVectors });
      indexed += turns.length;
      if (isOver()) return indexed;
    }
  };
}

/**
 * Whoever said it, a part that bears the marks of an attack, or holds a secret, must not come back into a prompt. What
 * is usual in a chat is none: wishes, what is said about the assistant, and links.
 */
function mayBeShown(part: string): boolean {
  const refusal = screenStatement(part, [part], { order: true, assistant: true });
  return refusal === null || refusal === 'markup';
}

/** The parts of a turn that can be found. */
function cut(content: UnindexedTurn['content']): string[] {
  const parts: string[] = [];
  const options = { maxTokens: PART_CHARACTERS, countTokens: (text: string) => text.trim().length };
  for (const part of chunkText(content ?? '', options)) {
    if (part.trim() !== '') parts.push(part.trim());
    if (parts.length === MAX_PARTS) break;
  }
  return parts.filter(mayBeShown);
}
