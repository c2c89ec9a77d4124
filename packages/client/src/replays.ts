import type {
  List,
  listReplaysQuerySchema,
  Replay,
  ReplayDiff,
  ReplayDiffItem,
  replayDiffQuerySchema,
  startReplaySchema,
} from '@factmill/contracts';
import type { InputOf, QueryOf } from './contract-types.ts';
import { everyItem } from './pages.ts';
import type { RequestOptions, Transport } from './transport.ts';

type ListQuery = QueryOf<typeof listReplaysQuerySchema>;
type DiffQuery = Omit<QueryOf<typeof replayDiffQuerySchema>, 'format'>;

/** Shadow replays; they need the permission `admin`. */
export function createReplays({ send, open }: Transport) {
  const list = (query: ListQuery = {}, options?: RequestOptions): Promise<List<Replay>> =>
    send('replays.list', { query }, options);
  const diff = (id: string, query: DiffQuery = {}, options?: RequestOptions): Promise<ReplayDiff> =>
    send('replays.diff', { id, query }, options);

  return {
    /** Extracts anew into a shadow, with other settings; with `dry_run` only estimates the cost. */
    start: (body: InputOf<typeof startReplaySchema> = {}, options?: RequestOptions): Promise<Replay> =>
      send('replays.start', { body }, options),
    /** One page, newest first. */
    list,
    /** All of them, page after page. */
    listAll: (query: Omit<ListQuery, 'cursor'> = {}, options?: RequestOptions) =>
      everyItem((cursor) => list({ ...query, cursor }, options)),
    get: (id: string, options?: RequestOptions): Promise<Replay> => send('replays.get', { id }, options),
    /** One page of what would change, with the counts of everything. */
    diff,
    /** All that would change, page after page. */
    allOfDiff: (
      id: string,
      query: Omit<DiffQuery, 'cursor'> = {},
      options?: RequestOptions,
    ): AsyncGenerator<ReplayDiffItem> => everyItem((cursor) => diff(id, { ...query, cursor }, options)),
    /** One page of it as lines to read. */
    diffText: async (id: string, query: DiffQuery = {}, options?: RequestOptions): Promise<string> =>
      (await open('replays.diff', { id, query: { ...query, format: 'text' } }, options)).text(),
    /** Puts the shadow in the place of what it was compared with. */
    apply: (id: string, options?: RequestOptions): Promise<Replay> => send('replays.apply', { id }, options),
    /** Takes back what applying has changed. */
    undo: (id: string, options?: RequestOptions): Promise<Replay> => send('replays.undo', { id }, options),
    /** Throws the shadow away, and keeps the record. */
    discard: (id: string, options?: RequestOptions): Promise<Replay> =>
      send('replays.discard', { id }, options),
    delete: (id: string, options?: RequestOptions): Promise<void> => send('replays.delete', { id }, options),
  };
}
