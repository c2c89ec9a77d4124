import type { Replay } from '@factmill/contracts';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { client } from '../client.ts';
import { useAccess } from '../session/session.ts';
import { VisibleText } from '../text/visible-text.tsx';
import { Button } from '../ui/button.tsx';
import { useList } from '../ui/list-query.ts';
import { type ListColumn, ListTable } from '../ui/list-table.tsx';
import { Badge, PageHead, Time } from '../ui/small.tsx';
import { Empty } from '../ui/states.tsx';
import { UserField } from '../ui/user-field.tsx';
import { useUrlSearch } from '../url-search.ts';
import { callsOf, isUnderWay, progressOf, settingsOf, TONES } from './replay-words.ts';
import { StartReplay } from './start-replay.tsx';

const COLUMNS: readonly ListColumn<Replay>[] = [
  {
    id: 'started',
    header: 'Started',
    width: '8rem',
    cell: ({ id, created_at: at }) => (
      <Link to="/replays/$id" params={{ id: id ?? '' }} className="row-link">
        <Time at={at} ago />
      </Link>
    ),
  },
  {
    id: 'state',
    header: 'State',
    width: 'minmax(9rem, 1fr)',
    cell: (replay) => (
      <>
        <Badge tone={TONES[replay.state]}>{replay.state}</Badge>{' '}
        {isUnderWay(replay) && <span className="muted">{progressOf(replay)}</span>}
      </>
    ),
  },
  {
    id: 'user',
    header: 'User',
    width: '10rem',
    cell: ({ user_id: user }) => (user === null ? 'all users' : <VisibleText text={user} clamp />),
  },
  {
    id: 'settings',
    header: 'Settings',
    width: '16rem',
    onlyWide: true,
    cell: (replay) => <VisibleText text={settingsOf(replay)} clamp />,
  },
  { id: 'used', header: 'Used', width: '17rem', onlyWide: true, cell: ({ usage }) => callsOf(usage) },
];

/** How those that run go on. */
const FOLLOW_MS = 5_000;

/** What other settings would have made of the same conversations, before anything changes. */
export function ReplaysPage() {
  const { can, canWrite } = useAccess();
  const [{ user = '' }, change] = useUrlSearch();
  const [isStarting, setStarting] = useState(false);
  const whose = user === '' ? (can('memory.read_all') ? { all_users: true } : {}) : { user_id: user };
  const query = useList(
    ['replays', 'list', user],
    (cursor, signal) => client.replays.list({ ...whose, cursor, limit: 50 }, { signal }),
    { refetchInterval: FOLLOW_MS },
  );
  return (
    <div className="page-fill">
      <PageHead title="Replays" name="Replays">
        {canWrite('admin') && (
          <Button variant="primary" onClick={() => setStarting(true)}>
            Start a replay
          </Button>
        )}
      </PageHead>
      <search className="filters" aria-label="Filters">
        <UserField value={user} onChange={(chosen) => change({ user: chosen })} />
      </search>
      <ListTable
        label="Replays"
        query={query}
        columns={COLUMNS}
        keyOf={({ id }) => id ?? ''}
        empty={
          <Empty title="Nothing was replayed yet.">
            <p>
              A replay extracts conversations again beside what is served, with another preset, prompt or
              model, and shows what would change. Nothing changes before it is applied.
            </p>
          </Empty>
        }
      />
      {isStarting && <StartReplay user={user} onClose={() => setStarting(false)} />}
    </div>
  );
}
