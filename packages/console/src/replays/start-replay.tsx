import type { PresetName } from '@factmill/contracts';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { client } from '../client.ts';
import { PRESETS } from '../codes.ts';
import { useAccess } from '../session/session.ts';
import { formatCount } from '../text/format.ts';
import { Button } from '../ui/button.tsx';
import { DialogForm } from '../ui/dialog-form.tsx';
import { choicesOf, SelectField, TextField } from '../ui/fields.tsx';
import { Facts } from '../ui/small.tsx';
import { ErrorNotice } from '../ui/states.tsx';
import { UserField } from '../ui/user-field.tsx';
import { callsOf, costOf } from './replay-words.ts';

type Draft = Readonly<{ user: string; preset: string; model: string; since: string }>;

/** Asks what to extract again and how, and says first what it would cost. */
export function StartReplay({ user, onClose }: Readonly<{ user: string; onClose: () => void }>) {
  const { can } = useAccess();
  const [draft, setDraft] = useState<Draft>({ user, preset: '', model: '', since: '' });
  const queries = useQueryClient();
  const navigate = useNavigate();
  const body = () => ({
    ...(draft.user === '' ? (can('memory.read_all') ? { all_users: true } : {}) : { user_id: draft.user }),
    ...(draft.preset === '' ? {} : { preset: draft.preset as PresetName }),
    ...(draft.model === '' ? {} : { model: draft.model }),
    ...(draft.since === '' ? {} : { since: new Date(draft.since).toISOString() }),
  });
  const estimate = useMutation({ mutationFn: () => client.replays.start({ ...body(), dry_run: true }) });
  const start = useMutation({
    mutationFn: () => client.replays.start(body()),
    onSuccess: async ({ id }) => {
      await queries.invalidateQueries({ queryKey: ['replays', 'list'] });
      await navigate({ to: '/replays/$id', params: { id: id ?? '' } });
    },
  });
  const set = (name: keyof Draft) => (value: string) => {
    setDraft((before) => ({ ...before, [name]: value }));
    // What was estimated is not what is asked for any more.
    estimate.reset();
  };
  return (
    <DialogForm title="Start a replay" action="Start" sending={start} onClose={onClose}>
      <UserField value={draft.user} onChange={set('user')} />
      <SelectField
        label="Preset"
        value={draft.preset}
        onChange={set('preset')}
        choices={choicesOf(PRESETS, 'as each extraction had')}
      />
      <TextField
        label="Model"
        value={draft.model}
        onChange={set('model')}
        list={['extractive']}
        placeholder="that of now"
        hint="At the same endpoint. extractive: the rules, which cost nothing."
      />
      <TextField
        label="Accepted since"
        type="datetime-local"
        value={draft.since}
        onChange={set('since')}
        hint="Empty: all extractions of the user."
      />
      <p className="page-actions">
        <Button onClick={() => estimate.mutate()} disabled={estimate.isPending}>
          Estimate the cost
        </Button>
      </p>
      {estimate.isError && <ErrorNotice error={estimate.error} />}
      {estimate.data !== undefined && (
        <div role="status">
          <Facts
            facts={{
              Extractions: `${formatCount(estimate.data.estimate.extractions)} of ${formatCount(estimate.data.estimate.users)} users`,
              'About to be used': callsOf(estimate.data.estimate),
              Cost: costOf(estimate.data.estimate),
            }}
          />
        </div>
      )}
    </DialogForm>
  );
}
