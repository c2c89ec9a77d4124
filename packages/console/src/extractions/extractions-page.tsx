import type { Extraction } from '@factmill/contracts';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { client } from '../client.ts';
import { EXTRACTION_STATES } from '../codes.ts';
import { useAccess } from '../session/session.ts';
import { formatDuration, toWords } from '../text/format.ts';
import { VisibleText } from '../text/visible-text.tsx';
import { choicesOf, SelectField, TextField } from '../ui/fields.tsx';
import { useList } from '../ui/list-query.ts';
import { type ListColumn, ListTable } from '../ui/list-table.tsx';
import { PageHead, Time } from '../ui/small.tsx';
import { Empty } from '../ui/states.tsx';
import { UserField } from '../ui/user-field.tsx';
import { useUrlSearch } from '../url-search.ts';
import { ExtractionBadge } from './extraction-badge.tsx';
import { type LedgerFilters, parseLedgerFilters, PERIODS, scopeOf, toLedgerQuery } from './ledger-filters.ts';
import { LedgerCounts } from './ledger-counts.tsx';
import { ReplayAll } from './replay-all.tsx';

const COLUMNS: readonly ListColumn<Extraction>[] = [
  {
    id: 'accepted',
    header: 'Accepted',
    width: '9rem',
    cell: ({ id, timings }) => (
      <Link to="/extractions/$id" params={{ id }}>
        <Time at={timings.accepted_at} ago />
      </Link>
    ),
  },
  {
    id: 'state',
    header: 'State',
    width: 'minmax(12rem, 1fr)',
    cell: (extraction) => <ExtractionBadge extraction={extraction} />,
  },
  {
    id: 'user',
    header: 'User',
    width: '9rem',
    onlyWide: true,
    cell: ({ user_id: user }) => <VisibleText text={user} clamp />,
  },
  {
    id: 'conversation',
    header: 'Conversation',
    width: '11rem',
    onlyWide: true,
    cell: ({ conversation_id: id, user_id: user }) => (
      <Link to="/conversations/$id" params={{ id }} search={{ user }}>
        <VisibleText text={id} clamp />
      </Link>
    ),
  },
  {
    id: 'trigger',
    header: 'Trigger',
    width: '7rem',
    onlyWide: true,
    cell: ({ trigger }) => toWords(trigger),
  },
  { id: 'attempts', header: 'Attempts', width: '5rem', onlyWide: true, cell: ({ attempts }) => attempts },
  {
    id: 'took',
    header: 'Took',
    width: '5.5rem',
    cell: ({ timings }) => formatDuration(timings.total_ms),
  },
];

/** The ledger: every pass over messages, with its state and its reason. */
export function ExtractionsPage() {
  const { can, canWrite } = useAccess();
  const [search, change] = useUrlSearch();
  const filters = parseLedgerFilters(search);
  const [openedMs] = useState(Date.now);
  const whose = filters.user === '' && can('memory.read_all') ? { all_users: true } : {};
  const query = useList(['extractions', 'list', filters], (cursor, signal) =>
    client.extractions.list(
      { ...toLedgerQuery(filters, openedMs), ...whose, cursor, limit: 200 },
      { signal },
    ),
  );
  const counts = useQuery({
    queryKey: ['extractions', 'counts', filters.user, filters.period],
    queryFn: ({ signal }) =>
      client.extractions.counts({ ...scopeOf(filters, openedMs), ...whose }, { signal }),
  });
  return (
    <div className="page-fill">
      <PageHead title="Extractions" name="Extractions">
        {canWrite('memory.write') && <ReplayAll filters={filters} nowMs={openedMs} />}
      </PageHead>
      <Filters filters={filters} change={change} />
      <LedgerCounts query={counts} filters={filters} change={change} />
      <ListTable
        label="Extractions"
        query={query}
        columns={COLUMNS}
        keyOf={({ id }) => id}
        empty={
          <Empty title="No extraction fits.">
            <p>Extractions come from messages: a while after the last one, or at once when asked for.</p>
          </Empty>
        }
      />
    </div>
  );
}

function Filters({
  filters,
  change,
}: Readonly<{ filters: LedgerFilters; change: (changes: Record<string, string>) => void }>) {
  return (
    <search className="filters" aria-label="Filters">
      <UserField value={filters.user} onChange={(user) => change({ user })} />
      <SelectField
        label="State"
        value={filters.state}
        onChange={(state) => change({ state, reason: '', error: '' })}
        choices={choicesOf(EXTRACTION_STATES, 'any')}
      />
      <SelectField
        label="Accepted within"
        value={filters.period}
        onChange={(period) => change({ period })}
        choices={choicesOf(Object.keys(PERIODS), 'any time')}
      />
      <TextField
        label="Reason"
        type="search"
        value={filters.reason}
        onChange={(reason) => change({ reason })}
      />
      <TextField
        label="Class of error"
        type="search"
        value={filters.error}
        onChange={(error) => change({ error })}
      />
      <TextField
        label="Trigger"
        type="search"
        value={filters.trigger}
        onChange={(trigger) => change({ trigger })}
      />
    </search>
  );
}
