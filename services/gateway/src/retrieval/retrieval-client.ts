import { createCounter, seriesOf } from '@factmill/telemetry';
import { lookup } from 'node:dns/promises';
import { fetchAgain } from '../fetch-again.ts';
import { createFindProcesses, type Lookup } from './find-processes.ts';
import { rankProcesses } from './rank-processes.ts';

export type RetrievalCall = Readonly<{
  path: '/v1/memories/search' | '/v1/context';
  /** Whose memory is searched. */
  owner: Readonly<{ tenantId: string; userId: string }>;
  headers: Readonly<Record<string, string>>;
  body: object;
  signal: AbortSignal;
}>;

type RetrievalAnswer = Readonly<{ ok: boolean; status: number; headers: Headers; body: Buffer }>;

export type RetrievalClient = Readonly<{
  /**
   * Posts to the process that most likely has the user in memory; to the next one when that is away. Rejects with the
   * last failure, or with the signal's reason.
   */
  post: (call: RetrievalCall) => Promise<RetrievalAnswer>;
  /** Whether a process is ready. */
  isReady: (signal: AbortSignal) => Promise<boolean>;
}>;

export type RetrievalClientDeps = Readonly<{
  urls: readonly string[];
  /** Milliseconds, of a clock that only goes forward. */
  now: () => number;
  /** Default: as the machine looks names up. */
  lookup?: Lookup;
}>;

/** A process that could not be reached is asked last for so long. */
const AWAY_MS = 2_000;
/** Processes that one call tries. */
const MAX_TRIES = 3;

/** Calls the retrieval service, which may be several processes, each with users that it has searched in memory. */
export function createRetrievalClient(deps: RetrievalClientDeps): RetrievalClient {
  const { now } = deps;
  const findProcesses = createFindProcesses(deps.urls, {
    lookup: deps.lookup ?? ((name) => lookup(name, { all: true })),
    now,
  });
  const awayUntil = new Map<string, number>();
  const count = createCounter(
    'factmill_retrieval_calls_total',
    'Calls of retrieval processes: by the one that has the user (home), by another while that is away, and failed',
    seriesOf({ process: ['home', 'other', 'none'] }),
  );

  const isAway = (url: string) => (awayUntil.get(url) ?? 0) > now();
  function noteAway(away: string): void {
    for (const url of awayUntil.keys()) if (!isAway(url)) awayUntil.delete(url);
    awayUntil.set(away, now() + AWAY_MS);
  }

  return {
    async post({ path, owner, headers, body, signal }) {
      const text = JSON.stringify(body);
      const ranked = rankProcesses(findProcesses(), owner);
      const order = [...ranked.filter((url) => !isAway(url)), ...ranked.filter(isAway)].slice(0, MAX_TRIES);
      let failure: unknown;
      for (const url of order) {
        try {
          const response = await fetchAgain(`${url}${path}`, {
            method: 'POST',
            headers: { 'content-type': 'application/json', ...headers },
            body: text,
            signal,
          });
          const answer = Buffer.from(await response.arrayBuffer());
          count(1, { process: url === ranked[0] ? 'home' : 'other' });
          return { ok: response.ok, status: response.status, headers: response.headers, body: answer };
        } catch (error) {
          signal.throwIfAborted();
          noteAway(url);
          failure = error;
        }
      }
      count(1, { process: 'none' });
      throw failure;
    },
    async isReady(signal) {
      const answers = findProcesses().map(async (url) => {
        const response = await fetch(`${url}/readyz`, { signal });
        await response.body?.cancel();
        if (!response.ok) throw new Error(`retrieval answered ${response.status}`);
      });
      return Promise.any(answers).then(
        () => true,
        () => false,
      );
    },
  };
}
