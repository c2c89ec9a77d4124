import { contentText, type ContextRequest } from '@factmill/contracts';

/** The user's message: the query, else the last user message. Empty without either. */
export function messageOf(request: ContextRequest): string {
  if (request.query !== undefined) return request.query;
  const last = request.messages?.findLast(({ role }) => role === 'user')?.content;
  return contentText(last);
}
