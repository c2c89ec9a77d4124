import type { Permission } from '@factmill/contracts';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { client } from '../client.ts';
import { PERMISSIONS } from '../codes.ts';
import { useAccess } from '../session/session.ts';
import { DialogForm } from '../ui/dialog-form.tsx';
import { CheckField, TextField } from '../ui/fields.tsx';

const USUAL: readonly Permission[] = ['memory.read', 'memory.write', 'chat'];

/** Asks what a new key may do, and for whom. */
export function KeyForm({
  onClose,
  onCreated,
}: Readonly<{ onClose: () => void; onCreated: (secret: string) => void }>) {
  const { can } = useAccess();
  const [name, setName] = useState('');
  const [user, setUser] = useState('');
  const [isLocked, setLocked] = useState(false);
  const [expires, setExpires] = useState('');
  const [permissions, setPermissions] = useState<readonly Permission[]>(USUAL);
  const create = useMutation({
    mutationFn: () =>
      client.apiKeys.create({
        name,
        permissions: [...permissions],
        user_locked: isLocked,
        ...(user === '' ? {} : { user_id: user }),
        ...(expires === '' ? {} : { expires_at: new Date(expires).toISOString() }),
      }),
    onSuccess: ({ key }) => {
      onClose();
      onCreated(key);
    },
  });
  const toggle = (permission: Permission) => (isOn: boolean) =>
    setPermissions((before) =>
      isOn ? [...before, permission] : before.filter((other) => other !== permission),
    );
  return (
    <DialogForm title="Create a key" action="Create" sending={create} onClose={onClose}>
      <TextField label="Name" value={name} onChange={setName} required />
      <fieldset>
        <legend>It may</legend>
        {PERMISSIONS.filter((permission) => permission !== 'operator' || can('operator')).map(
          (permission) => (
            <CheckField
              key={permission}
              label={permission}
              value={permissions.includes(permission)}
              onChange={toggle(permission)}
            />
          ),
        )}
      </fieldset>
      <TextField
        label="User"
        value={user}
        onChange={setUser}
        hint="Requests that name no user belong to this one."
      />
      <CheckField
        label="Locked to this user"
        value={isLocked}
        onChange={setLocked}
        hint="All other users are refused."
      />
      <TextField label="Expires" type="datetime-local" value={expires} onChange={setExpires} />
    </DialogForm>
  );
}
