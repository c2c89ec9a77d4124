import { boundTokens, cutToTokens } from './token-bound.ts';

/** A part of a document, as search returned it. */
export type ExcerptChunk = Readonly<{
  documentId: string;
  title: string | null;
  position: number;
  content: string;
}>;

/** The text of one document in a prompt. */
export type Excerpt = Readonly<{ title: string | null; text: string }>;

/** Between parts that are not adjacent. */
const GAP = '\n[…]\n';

/**
 * Takes chunks best first until `maxTokens` (by `boundTokens`) are used up, then orders them by document and position;
 * adjacent parts are joined. A first chunk that is too long is cut.
 */
export function excerptsOf(chunks: readonly ExcerptChunk[], maxTokens: number): Excerpt[] {
  const taken: ExcerptChunk[] = [];
  let left = maxTokens;
  for (const chunk of chunks) {
    const tokens = boundTokens(chunk.content);
    if (tokens > left) {
      if (taken.length === 0) taken.push({ ...chunk, content: cutToTokens(chunk.content, left) });
      break;
    }
    taken.push(chunk);
    left -= tokens;
  }
  const byDocument = Map.groupBy(taken, (chunk) => chunk.documentId);
  return [...byDocument.values()].map((parts) => ({
    title: parts[0]?.title ?? null,
    text: joinParts(parts.toSorted((left, right) => left.position - right.position)),
  }));
}

function joinParts(parts: readonly ExcerptChunk[]): string {
  return parts
    .map(({ content, position }, index) => {
      const previous = parts[index - 1];
      return previous !== undefined && previous.position + 1 !== position ? `${GAP}${content}` : content;
    })
    .join('')
    .trim();
}
