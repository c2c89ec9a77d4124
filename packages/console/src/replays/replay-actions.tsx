import type { Replay } from '@factmill/contracts';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { client } from '../client.ts';
import { useAccess } from '../session/session.ts';
import { Button } from '../ui/button.tsx';
import { Confirm } from '../ui/dialog.tsx';
import { ErrorNotice } from '../ui/states.tsx';

type State = Replay['state'];

/** In which states something can be done with a replay. */
const FROM: Readonly<Record<'apply' | 'undo' | 'discard' | 'delete', readonly State[]>> = {
  apply: ['done'],
  undo: ['applied'],
  discard: ['running', 'done'],
  delete: ['applied', 'undone', 'discarded'],
};

/** What can be done with a replay in its state, by who may. */
export function ReplayActions({ id, state }: Readonly<{ id: string; state: State }>) {
  const { canWrite } = useAccess();
  const [asks, setAsks] = useState<'apply' | 'discard' | 'delete' | null>(null);
  const queries = useQueryClient();
  const navigate = useNavigate();
  const take = (replay: Replay) => {
    queries.setQueryData(['replays', 'one', id], replay);
    // Memories, lists and counts may be others now.
    void queries.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] !== 'session' });
  };
  const undo = useMutation({ mutationFn: () => client.replays.undo(id), onSuccess: take });
  const remove = async () => {
    await client.replays.delete(id);
    await navigate({ to: '/replays' });
    await queries.invalidateQueries({ queryKey: ['replays', 'list'] });
  };
  if (!canWrite('admin')) return null;
  const can = (action: keyof typeof FROM) => FROM[action].includes(state);
  const close = () => setAsks(null);
  return (
    <>
      {can('apply') && (
        <Button variant="primary" onClick={() => setAsks('apply')}>
          Apply…
        </Button>
      )}
      {can('undo') && (
        <Button onClick={() => undo.mutate()} disabled={undo.isPending}>
          Undo
        </Button>
      )}
      {can('discard') && <Button onClick={() => setAsks('discard')}>Discard…</Button>}
      {can('delete') && <Button onClick={() => setAsks('delete')}>Delete the record…</Button>}
      {undo.isError && <ErrorNotice error={undo.error} />}
      <Confirm
        open={asks === 'apply'}
        onClose={close}
        title="Put this in the place of what is served?"
        action="Apply"
        onConfirm={async () => take(await client.replays.apply(id))}
      >
        <p>Searches and chats then find what is shown on the right. It can be undone.</p>
      </Confirm>
      <Confirm
        open={asks === 'discard'}
        onClose={close}
        title="Throw this replay away?"
        action="Discard"
        onConfirm={async () => take(await client.replays.discard(id))}
      >
        <p>What it has extracted is deleted; memories stay as they are.</p>
      </Confirm>
      <Confirm
        open={asks === 'delete'}
        onClose={close}
        title="Delete the record of this replay?"
        action="Delete"
        onConfirm={remove}
      >
        <p>What was applied stays, and can then not be undone in one step.</p>
      </Confirm>
    </>
  );
}
