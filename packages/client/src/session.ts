import type { ConsoleSession } from '@factmill/contracts';
import type { RequestOptions, Transport } from './transport.ts';

/** The session of a browser on a page of the server, in place of an API key: a client without `apiKey` uses it. */
export function createSession({ send }: Transport) {
  return {
    /** Who is signed in; also an answer where nobody is. */
    get: (options?: RequestOptions): Promise<ConsoleSession> => send('session.get', {}, options),
    /** Signs in with an API key. The browser keeps the session in a cookie that scripts cannot read. */
    create: (apiKey: string, options: RequestOptions = {}): Promise<ConsoleSession> =>
      send(
        'session.create',
        {},
        { ...options, headers: { ...options.headers, authorization: `Bearer ${apiKey}` } },
      ),
    /** Signs out. */
    end: (options?: RequestOptions): Promise<void> => send('session.end', {}, options),
  };
}
