import type { RetentionDays } from '@factmill/contracts';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { client } from '../client.ts';
import { useAccess } from '../session/session.ts';
import { toWords } from '../text/format.ts';
import { Button } from '../ui/button.tsx';
import { TextField } from '../ui/fields.tsx';
import { Form } from '../ui/form.tsx';
import { Section } from '../ui/small.tsx';
import { ErrorNotice, Loaded } from '../ui/states.tsx';
import { useTell } from '../ui/toasts.tsx';

const KEY = ['retention'];
const LABELS: Readonly<Record<keyof RetentionDays, string>> = {
  messages_days: 'Texts of messages',
  outputs_days: 'Answers of models',
  versions_days: 'Replaced versions',
  audit_days: 'Audit records',
  events_days: 'Events',
};
const NAMES = Object.keys(LABELS) as (keyof RetentionDays)[];

/** For how many days the tenant keeps things, and what a run would remove now. */
export function Retention() {
  const retention = useQuery({ queryKey: KEY, queryFn: ({ signal }) => client.retention.get({ signal }) });
  return (
    <Section title="Retention">
      <Loaded query={retention} what="the periods">
        {(data) => <RetentionForm days={data} />}
      </Loaded>
    </Section>
  );
}

function RetentionForm({ days }: Readonly<{ days: RetentionDays }>) {
  const { canWrite } = useAccess();
  const [draft, setDraft] = useState(() =>
    Object.fromEntries(NAMES.map((name) => [name, days[name]?.toString() ?? ''])),
  );
  const queries = useQueryClient();
  const tell = useTell();
  const save = useMutation({
    mutationFn: () =>
      client.retention.set(
        Object.fromEntries(NAMES.map((name) => [name, draft[name] === '' ? null : Number(draft[name])])),
      ),
    onSuccess: (saved) => {
      queries.setQueryData(KEY, saved);
      tell('The periods are saved. The next run removes what is older.');
    },
  });
  const count = useMutation({
    mutationFn: () => client.retention.run({ dry_run: true }),
    onSuccess: ({ counts }) => {
      const parts = Object.entries(counts).map(([name, number]) => `${toWords(name)} ${number}`);
      tell(`A run would remove: ${parts.join(', ') || 'nothing'}.`);
    },
  });
  return (
    <Form onSend={save.mutate}>
      <fieldset disabled={!canWrite('admin')}>
        <legend className="unseen">Days</legend>
        <div className="form-grid">
          {NAMES.map((name) => (
            <TextField
              key={name}
              label={LABELS[name]}
              type="number"
              value={draft[name] ?? ''}
              onChange={(value) => setDraft((before) => ({ ...before, [name]: value }))}
              placeholder="for good"
            />
          ))}
        </div>
      </fieldset>
      {save.isError && <ErrorNotice error={save.error} />}
      {count.isError && <ErrorNotice error={count.error} />}
      {canWrite('admin') && (
        <div className="form-actions">
          <Button type="submit" variant="primary" disabled={save.isPending}>
            Save the periods
          </Button>
          <Button onClick={() => count.mutate()} disabled={count.isPending}>
            Count what a run would remove
          </Button>
        </div>
      )}
    </Form>
  );
}
