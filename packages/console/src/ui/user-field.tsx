import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { client } from '../client.ts';
import { useAccess } from '../session/session.ts';
import { TextField } from './fields.tsx';

/** Asks whose memory is looked at; offers the ids that contain what is typed. Keys of one user see no choice. */
export function UserField({
  value,
  onChange,
  label = 'User',
  hint,
}: Readonly<{ value: string; onChange: (user: string) => void; label?: string; hint?: string }>) {
  const { can, session } = useAccess();
  const [typed, setTyped] = useState(value);
  useEffect(() => setTyped(value), [value]);
  const known = useQuery({
    queryKey: ['users', 'contains', typed],
    queryFn: ({ signal }) => client.users.list({ contains: typed.trim(), limit: 20 }, { signal }),
    enabled: can('memory.read_all'),
    placeholderData: (before) => before,
  });
  const ids = known.data?.data.map(({ id }) => id) ?? [];
  const settle = (text: string) => {
    if (text.trim() !== value) onChange(text.trim());
  };
  if (session.user_locked) return <p className="field fixed-user">User: {session.user_id}</p>;
  return (
    // oxlint-disable-next-line jsx-a11y/no-static-element-interactions -- listens to the field in it
    <div
      className="user-field"
      onKeyDown={(event) => {
        if (event.key !== 'Enter') return;
        // It settles the field, and does not send the form that it may be part of.
        event.preventDefault();
        settle(typed);
      }}
      onBlur={() => settle(typed)}
    >
      <TextField
        label={label}
        type="search"
        value={typed}
        onChange={(text) => {
          setTyped(text);
          // Picked from the list, or emptied: there is nothing more to type.
          if (text === '' || ids.includes(text)) settle(text);
        }}
        list={ids}
        placeholder={can('memory.read_all') ? 'all users' : (session.user_id ?? 'your own')}
        {...(hint === undefined ? {} : { hint })}
      />
    </div>
  );
}
