import { contentText, type ContextRequest } from '@factmill/contracts';

/** What the user says now: the query, else the last user message. Empty when there is neither. */
export function messageOf(request: ContextRequest): string {
  if (request.query !== undefined) return request.query;
  const last = request.messages?.findLast(({ role }) => role === 'user')?.content;
  return contentText(last);
}
