import { useQuery } from '@tanstack/react-query';
import { Navigate } from '@tanstack/react-router';
import { client } from '../client.ts';
import { useAccess } from '../session/session.ts';
import { Empty, Loaded } from '../ui/states.tsx';

/** Leads to what is of use: the users, the memories of one's own user, or the first memory where there is none yet. */
export function HomePage() {
  const { can, canWrite } = useAccess();
  const users = useQuery({
    queryKey: ['users', 'any'],
    queryFn: ({ signal }) => client.users.list({ limit: 1 }, { signal }),
    enabled: can('memory.read_all'),
  });
  if (!can('memory.read')) {
    return can('admin') || can('audit.read') || can('operator') ? (
      <Navigate to="/administration" replace />
    ) : (
      <Empty title="This key may not read memories.">
        <p>Sign in with a key that has the permission memory.read.</p>
      </Empty>
    );
  }
  if (!can('memory.read_all')) return <Navigate to="/memories" replace />;
  return (
    <Loaded query={users} what="users">
      {({ data }) =>
        data.length === 0 && canWrite('memory.write') ? (
          <Navigate to="/first-memory" replace />
        ) : (
          <Navigate to="/users" replace />
        )
      }
    </Loaded>
  );
}
