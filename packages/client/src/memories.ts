import type {
  batchMemoriesSchema,
  batchResultSchema,
  ClearedMemories,
  clearMemoriesSchema,
  createMemorySchema,
  deleteMemoriesQuerySchema,
  getMemoryQuerySchema,
  importedSchema,
  importMemoriesSchema,
  List,
  listMemoriesQuerySchema,
  listNeighboursQuerySchema,
  Memory,
  MemoryNeighbours,
  MemorySources,
  memoryVersionSchema,
  patchMemorySchema,
  searchRequestSchema,
  SearchResponse,
  Statistics,
  deleteQuerySchema,
  userQuerySchema,
} from '@factmill/contracts';
import type { InputOf, OutputOf, QueryOf } from './contract-types.ts';
import { everyItem } from './pages.ts';
import type { RequestOptions, Transport } from './transport.ts';

type ListQuery = QueryOf<typeof listMemoriesQuerySchema>;
type UserQuery = QueryOf<typeof userQuerySchema>;
type GetQuery = Partial<QueryOf<typeof getMemoryQuerySchema>>;
type DeleteQuery = Partial<QueryOf<typeof deleteQuerySchema>>;
export type MemoryVersion = OutputOf<typeof memoryVersionSchema>;

/** Memories: by hand, by search, in numbers. */
export function createMemories({ send }: Transport) {
  const list = (query: ListQuery = {}, options?: RequestOptions): Promise<List<Memory>> =>
    send('memories.list', { query }, options);

  return {
    /** Saves a memory; the same statement again changes nothing, a new value of a key replaces the old. */
    create: (body: InputOf<typeof createMemorySchema>, options?: RequestOptions): Promise<Memory> =>
      send('memories.create', { body }, options),
    /** Saves up to 1,000 in one transaction; results in their order. */
    batch: (
      body: InputOf<typeof batchMemoriesSchema>,
      options?: RequestOptions,
    ): Promise<OutputOf<typeof batchResultSchema>> => send('memories.batch', { body }, options),
    /** Imports up to 1,000 items of another program; each item once in its life. */
    import: (
      body: InputOf<typeof importMemoriesSchema>,
      options?: RequestOptions,
    ): Promise<OutputOf<typeof importedSchema>> => send('memories.import', { body }, options),
    /** One page, newest first by default. */
    list,
    /** All of them, page after page. */
    listAll: (query: Omit<ListQuery, 'cursor' | 'offset'> = {}, options?: RequestOptions) =>
      everyItem((cursor) => list({ ...query, cursor }, options)),
    get: (id: string, query: GetQuery = {}, options?: RequestOptions): Promise<Memory> =>
      send('memories.get', { id, query }, options),
    patch: (id: string, body: InputOf<typeof patchMemorySchema>, options?: RequestOptions): Promise<Memory> =>
      send('memories.patch', { id, body }, options),
    /** Deletes a memory; it can be restored until it is purged. */
    delete: (id: string, query: DeleteQuery = {}, options?: RequestOptions): Promise<void> =>
      send('memories.delete', { id, query }, options),
    /** Deletes what has this key, optionally within a category. */
    deleteByKey: (
      query: QueryOf<typeof deleteMemoriesQuerySchema>,
      options?: RequestOptions,
    ): Promise<Readonly<{ deleted: number }>> => send('memories.deleteByKey', { query }, options),
    /** Removes everything that is remembered of a user; `confirm` is the user's id once more. */
    clear: (body: InputOf<typeof clearMemoriesSchema>, options?: RequestOptions): Promise<ClearedMemories> =>
      send('memories.clear', { body }, options),
    /** Every version of a memory and of those it replaced. */
    history: (id: string, query: UserQuery = {}, options?: RequestOptions): Promise<List<MemoryVersion>> =>
      send('memories.history', { id, query }, options),
    /** The messages that a memory rests on, with those around them. */
    sources: (id: string, query: UserQuery = {}, options?: RequestOptions): Promise<MemorySources> =>
      send('memories.sources', { id, query }, options),
    /** The current memories that are most like one. */
    neighbours: (
      id: string,
      query: Partial<QueryOf<typeof listNeighboursQuerySchema>> = {},
      options?: RequestOptions,
    ): Promise<MemoryNeighbours> => send('memories.neighbours', { id, query }, options),
    /** Takes a current memory out of searches; it can be restored. */
    archive: (id: string, query: UserQuery = {}, options?: RequestOptions): Promise<Memory> =>
      send('memories.archive', { id, query }, options),
    /** Makes a deleted, archived or superseded memory current again. */
    restore: (id: string, query: UserQuery = {}, options?: RequestOptions): Promise<Memory> =>
      send('memories.restore', { id, query }, options),
    /** Finds memories by meaning and words. */
    search: (body: InputOf<typeof searchRequestSchema>, options?: RequestOptions): Promise<SearchResponse> =>
      send('memories.search', { body }, options),
    /** Counts what is kept of a user. */
    stats: (query: UserQuery = {}, options?: RequestOptions): Promise<Statistics> =>
      send('memories.stats', { query }, options),
  };
}
