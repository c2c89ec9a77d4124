type FloodRequest = Readonly<{ method: 'GET' | 'POST'; path: string; body?: object }>;

/** `clients` send one request at a time each; `turn` counts the requests of all clients. */
type Flood = Readonly<{ clients: number; what: string; toRequest: (turn: number) => FloodRequest }>;

/** The user of the flooding tenant with most memories. */
const FLOODING_USER = 'has-5000';
const CHARACTERS = 1_000_000;
const THINGS = ['kettle', 'bicycle', 'violin', 'camera', 'lamp', 'radio', 'map', 'coat'];

const thing = (turn: number) => THINGS[turn % THINGS.length] ?? '';
const search = (turn: number, more: object): FloodRequest => ({
  method: 'POST',
  path: '/v1/memories/search',
  body: { query: `Where was the ${thing(turn)} in year ${turn % 100}?`, ...more },
});

/** What one tenant can do to the others: many of the most expensive requests at once. */
export const FLOODS = {
  batches: {
    clients: 40,
    what: 'batches of 300',
    toRequest: (turn) => ({
      method: 'POST',
      path: '/v1/memories/batch',
      body: {
        user_id: FLOODING_USER,
        memories: Array.from({ length: 300 }, (_, index) => ({
          content: `Shelf ${index} of cupboard ${turn} holds the ${thing(index)}.`,
        })),
      },
    }),
  },
  searches: {
    clients: 100,
    what: 'searches of 5,000 memories',
    toRequest: (turn) => search(turn, { user_id: FLOODING_USER }),
  },
  'all-users': {
    clients: 100,
    what: 'searches of all users',
    toRequest: (turn) => search(turn, { all_users: true }),
  },
  'as-of': {
    clients: 60,
    what: 'searches as of a moment',
    toRequest: (turn) => search(turn, { user_id: FLOODING_USER, as_of: '2099-01-01T00:00:00Z' }),
  },
  lists: {
    clients: 100,
    what: 'lists of all users from offset 10,000',
    toRequest: (): FloodRequest => ({
      method: 'GET',
      path: '/v1/memories?all_users=true&limit=200&offset=10000',
    }),
  },
  documents: {
    clients: 10,
    what: 'documents of a million characters',
    toRequest: (turn) => ({
      method: 'POST',
      path: '/v1/documents',
      body: {
        // A user may have only a few documents of this size.
        user_id: `reader-${turn}`,
        content: `Shelf ${turn} holds the ${thing(turn)}. `.repeat(CHARACTERS).slice(0, CHARACTERS),
      },
    }),
  },
  chats: {
    clients: 100,
    what: 'chats with memory',
    toRequest: (turn) => ({
      method: 'POST',
      path: '/v1/chat/completions',
      body: {
        model: 'm',
        user: FLOODING_USER,
        messages: [{ role: 'user', content: `Where did I leave the ${thing(turn)}, day ${turn}?` }],
      },
    }),
  },
} as const satisfies Record<string, Flood>;

export type FloodName = keyof typeof FLOODS;

export function isFlood(name: string): name is FloodName {
  return Object.hasOwn(FLOODS, name);
}
