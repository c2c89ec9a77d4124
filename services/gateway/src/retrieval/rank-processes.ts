import { createHash } from 'node:crypto';

/**
 * The retrieval processes, best first for a user, by rendezvous hashing: the same list gives every gateway the same
 * order, each process is the best one for as many users, and when one goes or comes, only its users move.
 */
export function rankProcesses(
  urls: readonly string[],
  { tenantId, userId }: Readonly<{ tenantId: string; userId: string }>,
): string[] {
  if (urls.length === 1) return [...urls];
  const scoreOf = (url: string) =>
    createHash('sha1')
      .update(JSON.stringify([url, tenantId, userId]))
      .digest('hex');
  return urls
    .map((url) => ({ url, score: scoreOf(url) }))
    .toSorted((a, b) => (a.score < b.score ? 1 : -1))
    .map(({ url }) => url);
}
