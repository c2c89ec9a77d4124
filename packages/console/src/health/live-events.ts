import type { Event } from '@factmill/contracts';
import { useEffect, useState } from 'react';
import { client } from '../client.ts';
import { countBySlot, type Slots, slotOf } from './slots.ts';

/** The latest events that are shown one by one. */
const SHOWN = 30;
const RECONNECT_MS = 3_000;

export type Live = Readonly<{
  state: 'connecting' | 'live' | 'broken';
  latest: readonly Event[];
  slots: Slots;
}>;

/** Follows the stream of events for as long as the page shows it, and goes on where it broke. */
export function useLiveEvents(everybody: boolean): Live {
  const [live, setLive] = useState<Live>({ state: 'connecting', latest: [], slots: new Map() });
  useEffect(() => {
    const stop = new AbortController();
    void follow(everybody, stop.signal, (change) => setLive(change));
    return () => stop.abort();
  }, [everybody]);
  return live;
}

async function follow(
  everybody: boolean,
  signal: AbortSignal,
  setLive: (change: (before: Live) => Live) => void,
): Promise<void> {
  let after = 'now';
  while (!signal.aborted) {
    try {
      setLive((before) => ({ ...before, state: 'live' }));
      const query = everybody ? { after, all_users: true } : { after };
      for await (const event of client.events.stream(query, { signal })) {
        after = event.id;
        setLive(({ latest, slots }) => ({
          state: 'live',
          latest: [event, ...latest].slice(0, SHOWN),
          slots: countBySlot(slots, event.type, slotOf(Date.now())),
        }));
      }
    } catch {
      if (signal.aborted) return;
      setLive((before) => ({ ...before, state: 'broken' }));
      await wait(RECONNECT_MS, signal);
    }
  }
}

function wait(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve();
    });
  });
}
