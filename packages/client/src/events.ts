import type { Event, EventList, listEventsQuerySchema } from '@factmill/contracts';
import type { QueryOf } from './contract-types.ts';
import { errorOfConnection, FactmillError } from './factmill-error.ts';
import { readEvents } from './server-sent-events.ts';
import type { RequestOptions, Transport } from './transport.ts';

type EventsQuery = QueryOf<typeof listEventsQuerySchema>;

const toQuery = ({ types, ...query }: EventsQuery) => ({ ...query, types: types?.join(',') });

/** What happened: ids and counts, in order. */
export function createEvents({ send, open }: Transport) {
  return {
    /** One page; `next_cursor` is `after` of the next call, also where nothing follows yet. */
    list: (query: EventsQuery = {}, options?: RequestOptions): Promise<EventList> =>
      send('events.list', { query: toQuery(query) }, options),

    /**
     * Events as they come, until the server ends the stream, which it does every quarter of an hour. Go on with the id
     * of the last one as `after`: nothing is missed, and nothing comes twice. Leaving the loop early closes the stream;
     * a broken one throws.
     */
    async *stream(
      query: Omit<EventsQuery, 'limit' | 'wait'> = {},
      options: RequestOptions = {},
    ): AsyncGenerator<Event, void, undefined> {
      const headers = { ...options.headers, accept: 'text/event-stream' };
      const response = await open('events.list', { query: toQuery(query) }, { ...options, headers });
      if (response.body === null) return;
      try {
        for await (const data of readEvents(response.body)) yield JSON.parse(data) as Event;
      } catch (error) {
        options.signal?.throwIfAborted();
        throw error instanceof FactmillError ? error : errorOfConnection(error);
      }
    },
  };
}
