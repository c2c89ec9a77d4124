import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { client } from '../client.ts';
import { useAccess } from '../session/session.ts';
import { Button } from '../ui/button.tsx';
import { Confirm } from '../ui/dialog.tsx';
import { useTell } from '../ui/toasts.tsx';
import { type LedgerFilters, scopeOf } from './ledger-filters.ts';

const REPLAYABLE = ['failed', 'dropped', 'skipped', 'done'] as const;

/** Starts all extractions of a state again, once one of the states that have ended is chosen. */
export function ReplayAll({ filters, nowMs }: Readonly<{ filters: LedgerFilters; nowMs: number }>) {
  const { can } = useAccess();
  const [isAsking, setAsking] = useState(false);
  const queries = useQueryClient();
  const tell = useTell();
  const state = REPLAYABLE.find((name) => name === filters.state);
  if (state === undefined) return null;
  const everybody = filters.user === '' && can('memory.read_all') ? { all_users: true } : {};
  const replay = async () => {
    const { replayed } = await client.extractions.replayAll({
      state,
      ...scopeOf(filters, nowMs),
      ...everybody,
    });
    await queries.invalidateQueries({ queryKey: ['extractions'] });
    tell(`${replayed} extractions start again.`);
  };
  return (
    <>
      <Button onClick={() => setAsking(true)}>Replay all {state}…</Button>
      <Confirm
        open={isAsking}
        onClose={() => setAsking(false)}
        title={`Start all ${state} extractions again?`}
        action="Replay"
        onConfirm={replay}
      >
        <p>
          At most 1,000 of the chosen user and period start again.{' '}
          {state === 'done'
            ? 'Each asks the model anew, which costs tokens.'
            : 'An answer that was kept is used again; otherwise the model is asked.'}
        </p>
      </Confirm>
    </>
  );
}
