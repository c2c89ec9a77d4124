import { THINGS } from './embedded-memories.ts';

export type Ask = Readonly<{ path: string; body: object }>;

/** The searches of one user, by name. `turn` counts up, so that queries differ. */
export function searchesOf(userId: string): Readonly<Record<string, (turn: number) => Ask>> {
  const queryOf = (turn: number) => `Where is the ${THINGS[turn % THINGS.length]} of note ${turn % 16}?`;
  const search = (more: object) => (turn: number) => ({
    path: '/v1/memories/search',
    body: { user_id: userId, query: queryOf(turn), ...more },
  });
  return {
    unfiltered: search({}),
    'a tag': search({ filters: { tags: ['work'] } }),
    'a rare tag': search({ filters: { tags: ['rare7'] } }),
    tiers: search({ filters: { tiers: [3] } }),
    scopes: search({ scopes: ['c1', 'global'] }),
    'as of now': search({ as_of: '2099-01-01T00:00:00Z' }),
    classic: search({ mode: 'classic' }),
    vector: search({ mode: 'vector' }),
    enhanced: search({ mode: 'enhanced' }),
    'context of a chat': (turn) => ({
      path: '/v1/context',
      body: {
        user_id: userId,
        format: 'facts',
        conversation_id: 'c1',
        messages: [{ role: 'user', content: queryOf(turn) }],
        include_turns: true,
      },
    }),
  };
}
