import { request } from 'node:http';
import { waitFor } from '@factmill/testkit';

export type Load = Readonly<{
  /** Waits until so many more requests were answered. */
  untilMore: (count: number) => Promise<void>;
  /** Ends it when what is under way is answered. Extractions `0` … `accepted - 1` were accepted. */
  stop: () => Promise<Readonly<{ accepted: number; failures: readonly string[] }>>;
}>;

const CLIENTS = 3;

/**
 * Clients that post and search by turns, one request after the other, each on a connection of its own, as a proxy opens
 * them. Nothing is tried again: what is not answered as expected is a failure.
 */
export function startLoad(url: string, apiKey: string): Load {
  const failures: string[] = [];
  let accepted = 0;
  let answered = 0;
  const over = new AbortController();

  const ask = async (path: string, body: object, expected: number): Promise<void> => {
    const outcome = await post(`${url}${path}`, apiKey, body).catch((error: unknown) => String(error));
    answered += 1;
    if (outcome !== expected) failures.push(`${path}: ${outcome}`);
  };
  const client = async (): Promise<void> => {
    while (!over.signal.aborted) {
      const n = accepted;
      accepted += 1;
      const content = `My code word number ${n} is zebra${n}.`;
      const post = { user_id: `user-${n % 20}`, messages: [{ id: `message-${n}`, role: 'user', content }] };
      await ask('/v1/extractions', { ...post, conversation_id: `conversation-${n}`, metadata: { n } }, 202);
      await ask('/v1/memories/search', { user_id: post.user_id, query: 'What is my code word?' }, 200);
    }
  };
  const clients = Promise.all(Array.from({ length: CLIENTS }, client));
  return {
    async untilMore(count) {
      const aim = answered + count;
      await waitFor(() => answered >= aim, { timeoutMs: 30_000, describe: 'more answers' });
    },
    async stop() {
      over.abort();
      await clients;
      return { accepted, failures };
    },
  };
}

/** Resolves to the status of the answer. */
function post(url: string, apiKey: string, body: object): Promise<number> {
  return new Promise((resolve, reject) => {
    request(
      url,
      {
        method: 'POST',
        agent: false,
        headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
      },
      (answer) => {
        answer.resume();
        answer.once('end', () => resolve(answer.statusCode ?? 0));
        answer.once('error', reject);
      },
    )
      .once('error', reject)
      .end(JSON.stringify(body));
  });
}
