import type { Event } from '@factmill/contracts';
import { Link } from '@tanstack/react-router';
import { useEffect, useMemo, useState } from 'react';
import { VisibleText } from '../text/visible-text.tsx';
import { Badge, Time, type Tone } from '../ui/small.tsx';
import { Empty } from '../ui/states.tsx';
import { useLiveEvents } from './live-events.ts';
import { Plot } from './plot.tsx';
import { SLOT_SECONDS, toRates } from './slots.ts';

const GROUPS = {
  'memories changed': ['memory.created', 'memory.updated', 'memory.deleted', 'memory.restored'],
  'extractions done': ['extraction.done'],
  'failed or dropped': ['extraction.failed', 'extraction.dropped'],
};
const COLORS = ['--accent', '--ok', '--bad'];

/** What happens now, from the stream of events: rates of the last five minutes, and the latest events. */
export function Live({ everybody }: Readonly<{ everybody: boolean }>) {
  const { state, latest, slots } = useLiveEvents(everybody);
  const [nowMs, setNowMs] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNowMs(Date.now()), SLOT_SECONDS * 1_000);
    return () => clearInterval(timer);
  }, []);
  const { times, lines } = useMemo(() => {
    const { times: places, rates } = toRates(slots, nowMs, GROUPS);
    return {
      times: places,
      lines: Object.keys(GROUPS).map((label, index) => ({
        label,
        color: COLORS[index] ?? '--muted',
        values: rates[label] ?? [],
      })),
    };
  }, [slots, nowMs]);
  return (
    <>
      <p role="status">
        <Badge tone={state === 'live' ? 'ok' : 'warn'}>
          {state === 'live'
            ? 'following events'
            : state === 'broken'
              ? 'the stream broke; trying again'
              : 'connecting'}
        </Badge>
      </p>
      <div className="plots">
        <Plot title="Events a second" times={times} lines={lines} format={formatRate} />
        <div className="plot">
          {latest.length === 0 ? (
            <Empty title="Nothing has happened since this page is open." />
          ) : (
            <ul className="lines events">
              {latest.map((event) => (
                <EventLine key={event.id} event={event} />
              ))}
            </ul>
          )}
        </div>
      </div>
    </>
  );
}

function formatRate(rate: number): string {
  return rate.toFixed(1);
}

function EventLine({ event }: Readonly<{ event: Event }>) {
  const tone: Tone = /failed|dropped|deleted|erased/.test(event.type) ? 'warn' : 'plain';
  const { data } = event;
  return (
    <li>
      <Badge tone={tone}>{event.type}</Badge> <Time at={event.timestamp} ago />{' '}
      {'user_id' in data && <VisibleText text={data.user_id} />}{' '}
      {'memory_id' in data && (
        <Link to="/memories/$id" params={{ id: data.memory_id }}>
          memory
        </Link>
      )}
      {'conversation_id' in data && 'extraction_id' in data && (
        <Link to="/extractions/$id" params={{ id: data.extraction_id }}>
          extraction
        </Link>
      )}
    </li>
  );
}
