import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link, Outlet, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { client } from '../client.ts';
import { type Access, sessionQuery, useAccess } from '../session/session.ts';
import { Button } from '../ui/button.tsx';
import { chooseTheme, readTheme, type Theme, THEMES } from './theme.ts';
import type { UrlSearch } from '../url-search.ts';

type Place = Readonly<{
  to: string;
  label: string;
  isOpen: (access: Access) => boolean;
  keepsUser?: boolean;
}>;

const PLACES: readonly Place[] = [
  { to: '/first-memory', label: 'First memory', isOpen: ({ canWrite }) => canWrite('memory.write') },
  { to: '/users', label: 'Users', isOpen: ({ can }) => can('memory.read_all') },
  { to: '/memories', label: 'Memories', isOpen: ({ can }) => can('memory.read'), keepsUser: true },
  { to: '/search', label: 'Search', isOpen: ({ can }) => can('memory.read'), keepsUser: true },
  { to: '/conversations', label: 'Conversations', isOpen: ({ can }) => can('memory.read'), keepsUser: true },
  { to: '/extractions', label: 'Extractions', isOpen: ({ can }) => can('memory.read'), keepsUser: true },
  { to: '/replays', label: 'Replays', isOpen: ({ can }) => can('admin'), keepsUser: true },
  { to: '/health', label: 'Health', isOpen: () => true },
  {
    to: '/administration',
    label: 'Administration',
    isOpen: ({ can }) => can('admin') || can('audit.read') || can('operator'),
  },
];

/** Navigation around the page that is open. */
export function Shell() {
  const access = useAccess();
  const { user }: UrlSearch = useSearch({ strict: false });
  return (
    <div className="shell">
      <a className="skip" href="#page">
        Skip to the page
      </a>
      <header className="side">
        <Link to="/" className="brand">
          Factmill
        </Link>
        <nav aria-label="Main">
          <ul>
            {PLACES.filter((place) => place.isOpen(access)).map(({ to, label, keepsUser }) => (
              <li key={to}>
                <Link to={to} search={keepsUser === true && user !== undefined ? { user } : {}}>
                  {label}
                </Link>
              </li>
            ))}
          </ul>
        </nav>
        <SideFoot access={access} />
      </header>
      <main id="page" tabIndex={-1}>
        {!access.status.writable && (
          <p className="notice warn">
            This console is read-only: its operator has set CONSOLE_WRITABLE=false.
          </p>
        )}
        <Outlet />
      </main>
    </div>
  );
}

function SideFoot({ access }: Readonly<{ access: Access }>) {
  const queries = useQueryClient();
  const [theme, setTheme] = useState<Theme>(readTheme);
  const signOut = useMutation({
    mutationFn: () => client.session.end(),
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: sessionQuery.queryKey });
      queries.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== sessionQuery.queryKey[0] });
    },
  });
  const choose = (chosen: Theme) => {
    chooseTheme(chosen);
    setTheme(chosen);
  };
  return (
    <footer className="side-foot">
      <ul>
        <li>
          <a href="/docs">API reference</a>
        </li>
        {access.status.queue_board !== null && access.can('operator') && (
          <li>
            <a href={access.status.queue_board}>Queues (Bull Board)</a>
          </li>
        )}
      </ul>
      <label className="theme">
        Theme
        <select value={theme} onChange={(event) => choose(event.target.value as Theme)}>
          {THEMES.map((name) => (
            <option key={name}>{name}</option>
          ))}
        </select>
      </label>
      <p className="muted">
        {access.status.auth === 'none'
          ? 'no key needed'
          : (access.session.key_name ?? 'the administrator’s key')}{' '}
        · {access.status.version}
      </p>
      {access.status.auth === 'required' && (
        <Button variant="quiet" onClick={() => signOut.mutate()} disabled={signOut.isPending}>
          Sign out
        </Button>
      )}
    </footer>
  );
}
