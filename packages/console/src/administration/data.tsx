import type { ErasureReceipt, LegalHold } from '@factmill/contracts';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { client } from '../client.ts';
import { useAccess } from '../session/session.ts';
import { formatCount, toWords } from '../text/format.ts';
import { VisibleText } from '../text/visible-text.tsx';
import { Button } from '../ui/button.tsx';
import { Confirm } from '../ui/dialog.tsx';
import { TextField } from '../ui/fields.tsx';
import { Form } from '../ui/form.tsx';
import { LoadedRows } from '../ui/loaded-rows.tsx';
import { Badge, Facts, Section, Time } from '../ui/small.tsx';
import { Empty, Loaded } from '../ui/states.tsx';
import { useTell } from '../ui/toasts.tsx';
import { useUrlSearch } from '../url-search.ts';
import { Retention } from './retention.tsx';

const HOLDS = ['legal-holds'];

/** How long things are kept, what may not be removed, and what was. */
export function Data() {
  return (
    <>
      <Section title="Export">
        <p className="page-actions">
          <a className="button" href="/v1/export" download>
            Export the whole tenant
          </a>
          <span className="muted">
            Everything of all users, as JSON Lines. Users are exported on their own pages.
          </span>
        </p>
      </Section>
      <Retention />
      <LegalHolds />
      <Erasures />
    </>
  );
}

function LegalHolds() {
  const { canWrite } = useAccess();
  const [user, setUser] = useState('');
  const [lifting, setLifting] = useState<LegalHold | null>(null);
  const queries = useQueryClient();
  const tell = useTell();
  const holds = useQuery({
    queryKey: HOLDS,
    queryFn: ({ signal }) => client.legalHolds.list({ limit: 200 }, { signal }),
  });
  const place = async () => {
    await client.legalHolds.place(user === '' ? {} : { user_id: user });
    setUser('');
    await queries.invalidateQueries({ queryKey: HOLDS });
  };
  return (
    <Section title="Legal holds">
      {canWrite('admin') && (
        <Form
          className="filters"
          onSend={() =>
            void place().catch((error: unknown) =>
              tell(error instanceof Error ? error.message : 'That did not work.'),
            )
          }
        >
          <TextField label="Of the user" value={user} onChange={setUser} placeholder="the whole tenant" />
          <Button type="submit">Place a hold</Button>
        </Form>
      )}
      <LoadedRows
        query={holds}
        what="the holds"
        empty={<Empty title="Nothing is held." />}
        caption="Legal holds"
        keyOf={({ id }) => id}
        columns={[
          {
            header: 'Of',
            cell: ({ user_id: of }) => (of === null ? 'the whole tenant' : <VisibleText text={of} />),
          },
          { header: 'Since', cell: ({ placed_at: at }) => <Time at={at} /> },
          {
            header: 'Change',
            cell: (hold) =>
              canWrite('admin') && (
                <Button variant="quiet" onClick={() => setLifting(hold)}>
                  Lift…
                </Button>
              ),
          },
        ]}
      />
      <Confirm
        open={lifting !== null}
        onClose={() => setLifting(null)}
        title="Lift this hold?"
        action="Lift"
        onConfirm={async () => {
          if (lifting !== null) await client.legalHolds.lift(lifting.id);
          await queries.invalidateQueries({ queryKey: HOLDS });
        }}
      >
        <p>Retention and erasure may remove what was held.</p>
      </Confirm>
    </Section>
  );
}

const FOLLOW_MS = 1_000;

function Erasures() {
  const [{ erasure = '' }, change] = useUrlSearch();
  const [id, setId] = useState(erasure);
  const receipt = useQuery({
    queryKey: ['erasures', erasure],
    queryFn: ({ signal }) => client.users.erasure(erasure, { signal }),
    enabled: erasure !== '',
    refetchInterval: ({ state }) => (state.data?.state === 'pending' ? FOLLOW_MS : false),
  });
  return (
    <Section title="Receipts of erasures">
      <Form className="filters" onSend={() => change({ erasure: id.trim() })}>
        <TextField label="Id of the receipt" className="grow" value={id} onChange={setId} required />
        <Button type="submit">Show the receipt</Button>
      </Form>
      {erasure !== '' && (
        <Loaded query={receipt} what="the receipt">
          {(data) => <Receipt receipt={data} />}
        </Loaded>
      )}
    </Section>
  );
}

function Receipt({ receipt }: Readonly<{ receipt: ErasureReceipt }>) {
  const counts = Object.entries(receipt.counts).map(
    ([table, count]) => `${toWords(table)} ${formatCount(count)}`,
  );
  return (
    <Facts
      facts={{
        State: <Badge tone={receipt.state === 'done' ? 'ok' : 'accent'}>{receipt.state}</Badge>,
        Asked: <Time at={receipt.requested_at} />,
        Finished: <Time at={receipt.finished_at} />,
        Deleted: counts.join(', ') || 'nothing yet',
        'Whom, hashed with the id of the receipt': <code>{receipt.user_sha256}</code>,
      }}
    />
  );
}
