import type {
  backfilledSchema,
  Compression,
  CompressionDetails,
  droppedVectorsSchema,
  List,
  listCompressionsQuerySchema,
  QueuePressure,
  rebuildSchema,
  Setting,
  SettingValue,
  startCompressionSchema,
  StartedCompression,
  Vectors,
} from '@factmill/contracts';
import type { InputOf, OutputOf, QueryOf } from './contract-types.ts';
import { everyItem } from './pages.ts';
import type { RequestOptions, Transport } from './transport.ts';

type CompressionsQuery = QueryOf<typeof listCompressionsQuerySchema>;

/** What operators do while services run. */
export function createOperating({ send }: Transport) {
  const listCompressions = (
    query: CompressionsQuery = {},
    options?: RequestOptions,
  ): Promise<List<Compression>> => send('compressions.list', { query }, options);

  return {
    /** The work of all tenants; needs the permission `queue.read`. */
    queue: {
      /** What another worker could take now, and how many slots that is worth. */
      pressure: (
        query: Readonly<{ target_wait_seconds?: number }> = {},
        options?: RequestOptions,
      ): Promise<QueuePressure> => send('queue.pressure', { query }, options),
    },
    /** Settings that can change at run time; needs the permission `operator`. */
    settings: {
      list: (options?: RequestOptions): Promise<List<Setting>> => send('settings.list', {}, options),
      set: (key: string, value: SettingValue, options?: RequestOptions): Promise<Setting> =>
        send('settings.set', { id: key, body: { value } }, options),
      /** Gives a setting back to the environment of the services. */
      unset: (key: string, options?: RequestOptions): Promise<Setting> =>
        send('settings.unset', { id: key }, options),
    },
    /** Compression by hand; needs the permission `admin`. */
    compressions: {
      start: (
        body: InputOf<typeof startCompressionSchema>,
        options?: RequestOptions,
      ): Promise<StartedCompression> => send('compressions.start', { body }, options),
      /** One page, newest first. */
      list: listCompressions,
      /** All of them, page after page. */
      listAll: (query: Omit<CompressionsQuery, 'cursor'> = {}, options?: RequestOptions) =>
        everyItem((cursor) => listCompressions({ ...query, cursor }, options)),
      /** One, with what it changed or would change. */
      get: (id: string, options?: RequestOptions): Promise<CompressionDetails> =>
        send('compressions.get', { id }, options),
    },
    /** Vectors of embedding models; needs the permission `operator`. */
    vectors: {
      /** How many vectors a model lacks. */
      count: (query: Readonly<{ model?: string }> = {}, options?: RequestOptions): Promise<Vectors> =>
        send('vectors.count', { query }, options),
      /** Looks for texts without a vector now; workers compute them. */
      backfill: (options?: RequestOptions): Promise<OutputOf<typeof backfilledSchema>> =>
        send('vectors.backfill', {}, options),
      /** Builds the vectors of the configured model beside those in use. */
      rebuild: (options?: RequestOptions): Promise<OutputOf<typeof rebuildSchema>> =>
        send('vectors.rebuild', {}, options),
      /** Deletes some vectors of models that are not in use any more. */
      dropOld: (options?: RequestOptions): Promise<OutputOf<typeof droppedVectorsSchema>> =>
        send('vectors.dropOld', {}, options),
    },
  };
}
