import type { Delivery } from '@factmill/contracts';
import { client } from '../client.ts';
import { formatDuration } from '../text/format.ts';
import { useList } from '../ui/list-query.ts';
import { type ListColumn, ListTable } from '../ui/list-table.tsx';
import { Badge, Section, Time, type Tone } from '../ui/small.tsx';
import { Empty } from '../ui/states.tsx';

const TONES: Readonly<Record<Delivery['state'], Tone>> = {
  pending: 'accent',
  delivered: 'ok',
  failed: 'bad',
};
/** Deliveries of failing endpoints change by themselves. */
const REFRESH_MS = 5_000;

const COLUMNS: readonly ListColumn<Delivery>[] = [
  { id: 'at', header: 'When', width: '9rem', cell: ({ created_at: at }) => <Time at={at} ago /> },
  {
    id: 'state',
    header: 'State',
    width: '6rem',
    cell: ({ state }) => <Badge tone={TONES[state]}>{state}</Badge>,
  },
  { id: 'type', header: 'Event', width: 'minmax(9rem, 1fr)', cell: ({ type }) => type },
  { id: 'attempts', header: 'Attempts', width: '5rem', onlyWide: true, cell: ({ attempts }) => attempts },
  {
    id: 'answer',
    header: 'Last answer',
    width: '10rem',
    onlyWide: true,
    cell: ({ status, error }) => error ?? status ?? '–',
  },
  {
    id: 'took',
    header: 'Took',
    width: '6rem',
    onlyWide: true,
    cell: ({ duration_ms: ms }) => formatDuration(ms),
  },
];

/** The log of one webhook, newest first. */
export function Deliveries({ webhookId }: Readonly<{ webhookId: string }>) {
  const query = useList(
    ['webhooks', webhookId, 'deliveries'],
    (cursor, signal) => client.webhooks.deliveries(webhookId, { cursor, limit: 100 }, { signal }),
    { refetchInterval: REFRESH_MS },
  );
  return (
    <Section title="Deliveries">
      <div className="list-room">
        <ListTable
          label="Deliveries"
          query={query}
          columns={COLUMNS}
          keyOf={({ id }) => id}
          empty={<Empty title="Nothing was sent yet." />}
        />
      </div>
    </Section>
  );
}
