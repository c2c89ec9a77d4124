import { createLatest } from '@factmill/async';
import type { LookupAddress } from 'node:dns';
import { isIP } from 'node:net';

export type Lookup = (name: string) => Promise<readonly LookupAddress[]>;

/** How long addresses of a name are used. Who scales retrieval up waits so long for the new process to be used. */
const LOOKED_UP_EVERY_MS = 5_000;

/**
 * The addresses of the retrieval processes: those that are configured; of a single one whose name stands for several
 * addresses (a headless service of Kubernetes, a scaled service of Compose), one for each of these. With TLS the
 * certificate is for the name, so the name is used.
 *
 * No call waits for a name to be looked up: what is found counts for the next one.
 */
export function createFindProcesses(
  urls: readonly string[],
  deps: Readonly<{ lookup: Lookup; now: () => number }>,
): () => readonly string[] {
  const [url] = urls;
  if (url === undefined || urls.length > 1 || !standsForMany(url)) return () => urls;
  const latest = createLatest<readonly string[]>({
    load: async () => {
      const found = await deps.lookup(new URL(url).hostname);
      // A process with addresses of both families is one process.
      const ofFamily = found.filter(({ family }) => family === 4);
      const addresses = (ofFamily.length > 0 ? ofFamily : found).map(({ address }) => address).toSorted();
      return addresses.length > 1 ? addresses.map((address) => withHost(url, address)) : urls;
    },
    initial: urls,
    everyMs: LOOKED_UP_EVERY_MS,
    now: deps.now,
  });
  return () => {
    void latest.read();
    return latest.known();
  };
}

function standsForMany(url: string): boolean {
  const { protocol, hostname } = new URL(url);
  return (
    protocol === 'http:' && hostname !== 'localhost' && !hostname.startsWith('[') && isIP(hostname) === 0
  );
}

function withHost(url: string, address: string): string {
  const changed = new URL(url);
  changed.hostname = isIP(address) === 6 ? `[${address}]` : address;
  return changed.href.replace(/\/$/, '');
}
