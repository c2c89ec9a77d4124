import type { User } from '@factmill/contracts';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { client } from '../client.ts';
import { useAccess } from '../session/session.ts';
import { formatCount } from '../text/format.ts';
import { VisibleText } from '../text/visible-text.tsx';
import { TextField } from '../ui/fields.tsx';
import { useList } from '../ui/list-query.ts';
import { type ListColumn, ListTable } from '../ui/list-table.tsx';
import { Badge, Figure, Figures, PageHead, Time } from '../ui/small.tsx';
import { Empty } from '../ui/states.tsx';
import { useUrlSearch } from '../url-search.ts';

const COLUMNS: readonly ListColumn<User>[] = [
  {
    id: 'id',
    header: 'User',
    width: 'minmax(9rem, 1fr)',
    cell: ({ id }) => (
      <Link to="/users/$id" params={{ id }} className="row-link">
        <VisibleText text={id} clamp />
      </Link>
    ),
  },
  { id: 'memories', header: 'Memories', width: '6.5rem', cell: ({ memories }) => formatCount(memories) },
  {
    id: 'conversations',
    header: 'Conversations',
    width: '8rem',
    cell: ({ conversations }) => formatCount(conversations),
    onlyWide: true,
  },
  {
    id: 'active',
    header: 'Last active',
    width: '9rem',
    cell: ({ last_active_at: at }) => <Time at={at} ago />,
  },
  {
    id: 'since',
    header: 'Since',
    width: '11rem',
    cell: ({ created_at: at }) => <Time at={at} />,
    onlyWide: true,
  },
  {
    id: 'settings',
    header: 'Settings',
    width: '13rem',
    cell: ({ memory, preset, retention_days: days }) => (
      <>
        {!memory && <Badge tone="warn">memory off</Badge>} {preset !== null && <Badge>{preset}</Badge>}{' '}
        {days !== null && <Badge>{days} days</Badge>}
      </>
    ),
    onlyWide: true,
  },
];

/** Everybody of whom something is stored. */
export function UsersPage() {
  const [{ contains = '' }, change] = useUrlSearch();
  const query = useList(['users', 'list', contains], (cursor, signal) =>
    client.users.list({ contains, cursor, limit: 200 }, { signal }),
  );
  return (
    <div className="page-fill">
      <PageHead title="Users" name="Users">
        <Totals />
      </PageHead>
      <div className="filters">
        <TextField
          label="Id contains"
          type="search"
          value={contains}
          onChange={(text) => change({ contains: text })}
        />
      </div>
      <ListTable
        label="Users"
        query={query}
        columns={COLUMNS}
        keyOf={({ id }) => id}
        empty={
          contains === '' ? (
            <Empty title="Nothing is stored of anybody yet.">
              <Link to="/first-memory">Send the first message</Link>
            </Empty>
          ) : (
            <Empty title="No user has such an id.">
              <p>A user is there once something is stored of them. Check the spelling of the id.</p>
            </Empty>
          )
        }
      />
    </div>
  );
}

function Totals() {
  const { can } = useAccess();
  const totals = useQuery({
    queryKey: ['stats', 'tenant'],
    queryFn: ({ signal }) => client.tenant.stats({ signal }),
    enabled: can('memory.read_all'),
  });
  if (totals.data === undefined) return null;
  const { data } = totals;
  const shown = ['users', 'memories', 'conversations', 'documents'] as const;
  return (
    <Figures>
      {shown.map((name) => (
        <Figure
          key={name}
          label={name}
          value={`${formatCount(data[name])}${data.at_least.includes(name) ? '+' : ''}`}
        />
      ))}
    </Figures>
  );
}
