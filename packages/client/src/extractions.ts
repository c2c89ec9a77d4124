import type {
  AcceptedExtraction,
  countExtractionsQuerySchema,
  createExtractionSchema,
  Extraction,
  ExtractionAnswer,
  ExtractionCounts,
  ExtractionSeries,
  extractionSeriesQuerySchema,
  ExtractionStep,
  List,
  listExtractionsQuerySchema,
  replayedSchema,
  replayExtractionsSchema,
} from '@factmill/contracts';
import type { InputOf, OutputOf, QueryOf } from './contract-types.ts';
import { FactmillError } from './factmill-error.ts';
import { everyItem } from './pages.ts';
import { pause } from './pause.ts';
import type { KeyedOptions, RequestOptions, Transport } from './transport.ts';

type ListQuery = QueryOf<typeof listExtractionsQuerySchema>;
type Replayed = OutputOf<typeof replayedSchema>;

export type WaitOptions = Readonly<{
  signal?: AbortSignal | undefined;
  /** How long to wait for the end. Default 60 s. */
  timeoutMs?: number | undefined;
}>;

const WAIT_MS = 60_000;
/** Rules take tens of milliseconds, models seconds: polls begin close together and grow apart. */
const FIRST_LOOK_MS = 50;
const LONGEST_LOOK_MS = 2_000;

/** The ledger of extractions. */
export function createExtractions({ send }: Transport, nowMs: () => number) {
  const list = (query: ListQuery = {}, options?: RequestOptions): Promise<List<Extraction>> =>
    send('extractions.list', { query }, options);
  const get = (id: string, options?: RequestOptions): Promise<Extraction> =>
    send('extractions.get', { id }, options);

  return {
    /** Stores messages and extracts them now; when it resolves, they are durable. */
    create: (
      body: InputOf<typeof createExtractionSchema>,
      options?: KeyedOptions,
    ): Promise<AcceptedExtraction> => send('extractions.create', { body }, options),
    /** One page, newest first. */
    list,
    /** All of them, page after page. */
    listAll: (query: Omit<ListQuery, 'cursor'> = {}, options?: RequestOptions) =>
      everyItem((cursor) => list({ ...query, cursor }, options)),
    get,
    /**
     * Resolves when an extraction has ended; `state` says how. Rejects with a FactmillError of the kind `timeout`
     * when it has not ended in time; the extraction itself continues.
     */
    async waitFor(id: string, { signal, timeoutMs = WAIT_MS }: WaitOptions = {}): Promise<Extraction> {
      const until = nowMs() + timeoutMs;
      for (let lookMs = FIRST_LOOK_MS; ; lookMs = Math.min(LONGEST_LOOK_MS, lookMs * 1.5)) {
        const extraction = await get(id, { signal });
        if (extraction.state !== 'pending' && extraction.state !== 'active') return extraction;
        const leftMs = until - nowMs();
        if (leftMs <= 0) {
          throw new FactmillError({
            kind: 'timeout',
            code: 'timeout',
            detail: `The extraction is still ${extraction.state} after ${timeoutMs} ms.`,
          });
        }
        await pause(Math.min(lookMs, leftMs), signal);
      }
    },
    /** What happened to one, in order. */
    timeline: (id: string, options?: RequestOptions): Promise<List<ExtractionStep>> =>
      send('extractions.timeline', { id }, options),
    /** What models replied to one, word for word; needs the permission `admin`. */
    answers: (id: string, options?: RequestOptions): Promise<List<ExtractionAnswer>> =>
      send('extractions.answers', { id }, options),
    /** How many were accepted in a period, by what has become of them. */
    counts: (
      query: Partial<QueryOf<typeof countExtractionsQuerySchema>> = {},
      options?: RequestOptions,
    ): Promise<ExtractionCounts> => send('extractions.counts', { query }, options),
    /** What was accepted by minute, hour or day, and what has become of it. */
    series: (
      query: Partial<QueryOf<typeof extractionSeriesQuerySchema>> = {},
      options?: RequestOptions,
    ): Promise<ExtractionSeries> => send('extractions.series', { query }, options),
    /** Starts an ended extraction again. */
    replay: (id: string, options?: RequestOptions): Promise<Replayed> =>
      send('extractions.replay', { id }, options),
    /** Starts ended extractions again, by state, user and period; 1,000 a call. */
    replayAll: (
      body: InputOf<typeof replayExtractionsSchema> = {},
      options?: RequestOptions,
    ): Promise<Replayed> => send('extractions.replayAll', { body }, options),
  };
}
