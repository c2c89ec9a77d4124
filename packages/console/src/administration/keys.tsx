import type { ApiKey } from '@factmill/contracts';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { client } from '../client.ts';
import { useAccess } from '../session/session.ts';
import { VisibleText } from '../text/visible-text.tsx';
import { Button } from '../ui/button.tsx';
import { Confirm } from '../ui/dialog.tsx';
import { LoadedRows } from '../ui/loaded-rows.tsx';
import { Badge, Section, Time } from '../ui/small.tsx';
import { Empty } from '../ui/states.tsx';
import { useTell } from '../ui/toasts.tsx';
import { KeyForm } from './key-form.tsx';
import { SecretDialog } from './secret-dialog.tsx';

const KEY = ['api-keys'];

/** The API keys of the tenant. A secret is shown once, when it is made. */
export function Keys() {
  const { canWrite } = useAccess();
  const [isAdding, setAdding] = useState(false);
  const [secret, setSecret] = useState<string | null>(null);
  const queries = useQueryClient();
  const keys = useQuery({ queryKey: KEY, queryFn: ({ signal }) => client.apiKeys.list({ signal }) });
  const show = (created: string) => {
    setSecret(created);
    void queries.invalidateQueries({ queryKey: KEY });
  };
  return (
    <Section
      title="API keys"
      actions={
        canWrite('admin') && (
          <Button variant="primary" onClick={() => setAdding(true)}>
            Create a key
          </Button>
        )
      }
    >
      <LoadedRows
        query={keys}
        what="the keys"
        empty={<Empty title="There is no key." />}
        caption="API keys"
        keyOf={({ id }) => id}
        columns={[
          { header: 'Name', cell: ({ name }) => <VisibleText text={name} /> },
          { header: 'May', cell: ({ permissions }) => permissions.join(', ') },
          { header: 'User', cell: (key) => <UserOf apiKey={key} /> },
          { header: 'State', cell: (key) => <StateOf apiKey={key} /> },
          { header: 'Last used', cell: ({ last_used_at: at }) => <Time at={at} ago /> },
          { header: 'Created', cell: ({ created_at: at }) => <Time at={at} /> },
          {
            header: 'Change',
            cell: (key) => canWrite('admin') && !key.revoked && <Actions apiKey={key} onSecret={show} />,
          },
        ]}
      />
      {isAdding && <KeyForm onClose={() => setAdding(false)} onCreated={show} />}
      <SecretDialog secret={secret} title="The new key" onClose={() => setSecret(null)} />
    </Section>
  );
}

function UserOf({ apiKey }: Readonly<{ apiKey: ApiKey }>) {
  if (apiKey.user_id === null) return <span className="muted">any</span>;
  return (
    <>
      <VisibleText text={apiKey.user_id} /> {apiKey.user_locked && <Badge>locked</Badge>}
    </>
  );
}

function StateOf({ apiKey }: Readonly<{ apiKey: ApiKey }>) {
  if (apiKey.revoked) return <Badge tone="bad">revoked</Badge>;
  const isExpired = apiKey.expires_at !== null && Date.parse(apiKey.expires_at) < Date.now();
  return (
    <>
      <Badge tone={isExpired ? 'warn' : 'ok'}>{isExpired ? 'expired' : 'in force'}</Badge>{' '}
      {apiKey.expires_at !== null && !isExpired && (
        <span className="muted">
          until <Time at={apiKey.expires_at} />
        </span>
      )}
      {apiKey.previous_secret_until !== null && (
        <span className="muted">
          {' '}
          old secret until <Time at={apiKey.previous_secret_until} />
        </span>
      )}
    </>
  );
}

function Actions({ apiKey, onSecret }: Readonly<{ apiKey: ApiKey; onSecret: (secret: string) => void }>) {
  const [asks, setAsks] = useState<'rotate' | 'revoke' | null>(null);
  const queries = useQueryClient();
  const tell = useTell();
  const rotate = async () => {
    const { key } = await client.apiKeys.rotate(apiKey.id);
    onSecret(key);
  };
  const revoke = async () => {
    await client.apiKeys.revoke(apiKey.id);
    await queries.invalidateQueries({ queryKey: KEY });
    tell('The key is revoked.');
  };
  return (
    <span className="row-actions">
      <Button variant="quiet" onClick={() => setAsks('rotate')}>
        Rotate…
      </Button>
      <Button variant="quiet" onClick={() => setAsks('revoke')}>
        Revoke…
      </Button>
      <Confirm
        open={asks === 'rotate'}
        onClose={() => setAsks(null)}
        title="Give this key a new secret?"
        action="Rotate"
        onConfirm={rotate}
      >
        <p>The old secret works for a day more, so that programs can change over.</p>
      </Confirm>
      <Confirm
        open={asks === 'revoke'}
        onClose={() => setAsks(null)}
        title="Revoke this key?"
        action="Revoke"
        onConfirm={revoke}
      >
        <p>Programs and consoles that use it are refused within 10 seconds. This cannot be undone.</p>
      </Confirm>
    </span>
  );
}
