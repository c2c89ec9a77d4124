import type { PatchUser, User } from '@factmill/contracts';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { client } from '../client.ts';
import { useAccess } from '../session/session.ts';
import { Button } from '../ui/button.tsx';
import { Confirm } from '../ui/dialog.tsx';
import { CheckField, choicesOf, SelectField, TextField } from '../ui/fields.tsx';
import { Form } from '../ui/form.tsx';
import { ErrorNotice } from '../ui/states.tsx';
import { useTell } from '../ui/toasts.tsx';
import { ExportButtons } from './export-buttons.tsx';
import { PRESETS } from '../codes.ts';

/** Settings of a user, their export, and the end of everything that is kept of them. */
export function UserSettings({ user }: Readonly<{ user: User }>) {
  const { canWrite, can } = useAccess();
  const isChangeable = canWrite('admin');
  const [memory, setMemory] = useState(user.memory);
  const [preset, setPreset] = useState(user.preset ?? '');
  const [days, setDays] = useState(user.retention_days?.toString() ?? '');
  const queries = useQueryClient();
  const tell = useTell();
  const save = useMutation({
    mutationFn: () =>
      client.users.patch(user.id, {
        memory,
        preset: preset === '' ? null : (preset as NonNullable<PatchUser['preset']>),
        retention_days: days === '' ? null : Number(days),
      }),
    onSuccess: (changed) => {
      queries.setQueryData(['users', 'one', user.id], changed);
      tell('The settings are saved.');
    },
  });
  return (
    <Form onSend={save.mutate}>
      <fieldset disabled={!isChangeable}>
        <legend className="unseen">Settings of this user</legend>
        <CheckField
          label="Memory is on"
          value={memory}
          onChange={setMemory}
          hint="Off: nothing more is stored or extracted, and chats get nothing. What is there stays."
        />
        <SelectField
          label="Preset"
          value={preset}
          onChange={setPreset}
          choices={choicesOf(PRESETS, 'as the tenant')}
        />
        <TextField
          label="Keep messages for days"
          type="number"
          value={days}
          onChange={setDays}
          placeholder="as the tenant"
        />
      </fieldset>
      {save.isError && <ErrorNotice error={save.error} />}
      <div className="form-actions">
        {isChangeable && (
          <Button type="submit" variant="primary" disabled={save.isPending}>
            Save settings
          </Button>
        )}
        {can('admin') && <ExportButtons userId={user.id} />}
        {isChangeable && <EraseButton userId={user.id} />}
      </div>
    </Form>
  );
}

function EraseButton({ userId }: Readonly<{ userId: string }>) {
  const [isAsking, setAsking] = useState(false);
  const navigate = useNavigate();
  const queries = useQueryClient();
  const erase = async () => {
    const { id } = await client.users.erase(userId);
    await queries.invalidateQueries({ queryKey: ['users'] });
    await navigate({ to: '/administration', search: { part: 'data', erasure: id } });
  };
  return (
    <>
      <Button variant="danger" onClick={() => setAsking(true)}>
        Erase this user…
      </Button>
      <Confirm
        open={isAsking}
        onClose={() => setAsking(false)}
        title="Erase everything of this user?"
        action="Erase for good"
        word={userId}
        onConfirm={erase}
      >
        <p>
          All memories, conversations, documents, summaries and settings of this user are deleted. This cannot
          be undone; a receipt remains. Export first what should be kept.
        </p>
      </Confirm>
    </>
  );
}
