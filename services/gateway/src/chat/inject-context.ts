import type { HeldBody } from '@factmill/http';
import { withSystemMessage, withUserText } from './chat-request.ts';
import type { FetchedContext } from './fetch-context.ts';
import type { Edit } from './json-edits.ts';

/** The edits that put what is remembered into a request; `query` is the text of its last user message. */
export function injectContext(
  { bytes, root }: HeldBody,
  query: string,
  context: FetchedContext | null,
): Edit[] {
  if (root === null || context === null) return [];
  return context.blocks.flatMap(({ place, text }) => {
    if (place === 'system') return withSystemMessage(bytes, root, text);
    return withUserText(bytes, root, place === 'message' ? text : `${query}\n${text}`);
  });
}
