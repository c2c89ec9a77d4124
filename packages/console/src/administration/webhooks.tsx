import type { Webhook } from '@factmill/contracts';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { client } from '../client.ts';
import { useAccess } from '../session/session.ts';
import { VisibleText } from '../text/visible-text.tsx';
import { Button } from '../ui/button.tsx';
import { DialogForm } from '../ui/dialog-form.tsx';
import { Confirm } from '../ui/dialog.tsx';
import { TextField } from '../ui/fields.tsx';
import { LoadedRows } from '../ui/loaded-rows.tsx';
import { Badge, Section, Time } from '../ui/small.tsx';
import { Empty } from '../ui/states.tsx';
import { useTell } from '../ui/toasts.tsx';
import { useUrlSearch } from '../url-search.ts';
import { Deliveries } from './deliveries.tsx';
import { SecretDialog } from './secret-dialog.tsx';

const KEY = ['webhooks'];

/** Where events are sent, and how that goes. */
export function Webhooks() {
  const { canWrite } = useAccess();
  const [{ webhook: openId }, change] = useUrlSearch();
  const [isAdding, setAdding] = useState(false);
  const [secret, setSecret] = useState<string | null>(null);
  const webhooks = useQuery({ queryKey: KEY, queryFn: ({ signal }) => client.webhooks.list({ signal }) });
  return (
    <Section
      title="Webhooks"
      actions={
        canWrite('admin') && (
          <Button variant="primary" onClick={() => setAdding(true)}>
            Add a webhook
          </Button>
        )
      }
    >
      <LoadedRows
        query={webhooks}
        what="the webhooks"
        empty={
          <Empty title="Events are sent nowhere.">
            <p>A webhook gets every event signed, in order, again until it is taken.</p>
          </Empty>
        }
        caption="Webhooks"
        keyOf={({ id }) => id}
        columns={[
          { header: 'Address', cell: ({ url }) => <VisibleText text={url} /> },
          { header: 'Events', cell: ({ types }) => types?.join(', ') ?? 'all' },
          { header: 'State', cell: (hook) => <StateOf hook={hook} /> },
          {
            header: 'Change',
            cell: (hook) => (
              <span className="row-actions">
                <Button variant="quiet" onClick={() => change({ webhook: hook.id })}>
                  Deliveries
                </Button>
                {canWrite('admin') && <Actions hook={hook} onSecret={setSecret} />}
              </span>
            ),
          },
        ]}
      />
      {openId !== undefined && openId !== '' && <Deliveries webhookId={openId} />}
      {isAdding && <WebhookForm onClose={() => setAdding(false)} onSecret={setSecret} />}
      <SecretDialog secret={secret} title="The secret that signs" onClose={() => setSecret(null)} />
    </Section>
  );
}

function StateOf({ hook }: Readonly<{ hook: Webhook }>) {
  if (!hook.enabled) return <Badge tone="warn">off: {hook.disabled_reason}</Badge>;
  if (hook.failing_since === null) return <Badge tone="ok">on</Badge>;
  return (
    <>
      <Badge tone="bad">failing</Badge>{' '}
      <span className="muted">
        {hook.failures} in a row, next try <Time at={hook.next_attempt_at} ago />
      </span>
    </>
  );
}

function Actions({ hook, onSecret }: Readonly<{ hook: Webhook; onSecret: (secret: string) => void }>) {
  const [isAsking, setAsking] = useState(false);
  const queries = useQueryClient();
  const tell = useTell();
  const change = useMutation({
    mutationFn: (action: () => Promise<string>) => action(),
    onSuccess: async (said) => {
      await queries.invalidateQueries({ queryKey: KEY });
      tell(said);
    },
    onError: (error) => tell(error.message),
  });
  const toggle = async () => {
    await client.webhooks.patch(hook.id, { enabled: !hook.enabled });
    return hook.enabled ? 'The webhook is off.' : 'The webhook is on, and gets what it has missed.';
  };
  const test = async () => {
    await client.webhooks.test(hook.id);
    return 'A test is on its way; the deliveries say how it went.';
  };
  const rotate = async () => {
    const { secret } = await client.webhooks.rotateSecret(hook.id);
    onSecret(secret);
    return 'The old secret signs for a day more.';
  };
  return (
    <>
      <Button variant="quiet" onClick={() => change.mutate(test)}>
        Test
      </Button>
      <Button variant="quiet" onClick={() => change.mutate(toggle)}>
        {hook.enabled ? 'Turn off' : 'Turn on'}
      </Button>
      <Button variant="quiet" onClick={() => change.mutate(rotate)}>
        New secret
      </Button>
      <Button variant="quiet" onClick={() => setAsking(true)}>
        Delete…
      </Button>
      <Confirm
        open={isAsking}
        onClose={() => setAsking(false)}
        title="Delete this webhook with its log?"
        action="Delete"
        onConfirm={async () => {
          await client.webhooks.delete(hook.id);
          await queries.invalidateQueries({ queryKey: KEY });
        }}
      >
        <p>Events are not sent there any more. This cannot be undone.</p>
      </Confirm>
    </>
  );
}

function WebhookForm({
  onClose,
  onSecret,
}: Readonly<{ onClose: () => void; onSecret: (secret: string) => void }>) {
  const [url, setUrl] = useState('');
  const queries = useQueryClient();
  const create = useMutation({
    mutationFn: () => client.webhooks.create({ url }),
    onSuccess: async ({ secret }) => {
      await queries.invalidateQueries({ queryKey: KEY });
      onClose();
      onSecret(secret);
    },
  });
  return (
    <DialogForm title="Add a webhook" action="Add" sending={create} onClose={onClose}>
      <TextField
        label="Address"
        type="url"
        value={url}
        onChange={setUrl}
        required
        hint="An https address of a public host. It gets all events."
      />
    </DialogForm>
  );
}
