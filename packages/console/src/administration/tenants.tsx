import type { Tenant } from '@factmill/contracts';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { client } from '../client.ts';
import { PRESETS } from '../codes.ts';
import { useAccess } from '../session/session.ts';
import { formatCount } from '../text/format.ts';
import { VisibleText } from '../text/visible-text.tsx';
import { Button } from '../ui/button.tsx';
import { DialogForm } from '../ui/dialog-form.tsx';
import { choicesOf, SelectField, TextField } from '../ui/fields.tsx';
import { Rows } from '../ui/rows.tsx';
import { Section, Time } from '../ui/small.tsx';
import { Loaded } from '../ui/states.tsx';
import { useTell } from '../ui/toasts.tsx';
import { type TenantDraft, toTenantDraft, toTenantInput } from './tenant-draft.ts';

const KEY = ['tenants'];

/** The tenants of the installation: preset, limits and budgets. */
export function Tenants() {
  const { canWrite } = useAccess();
  const [edited, setEdited] = useState<Tenant | 'new' | null>(null);
  const tenants = useQuery({
    queryKey: KEY,
    queryFn: ({ signal }) => client.tenants.list({ limit: 200 }, { signal }),
  });
  return (
    <Section
      title="Tenants"
      actions={
        canWrite('operator') && (
          <Button variant="primary" onClick={() => setEdited('new')}>
            Create a tenant
          </Button>
        )
      }
    >
      <Loaded query={tenants} what="the tenants">
        {({ data }) => (
          <Rows
            caption="Tenants"
            rows={data}
            keyOf={({ id }) => id}
            columns={[
              { header: 'Name', cell: ({ name }) => <VisibleText text={name} /> },
              { header: 'Preset', cell: ({ default_preset: preset }) => preset ?? 'of the deployment' },
              { header: 'Budgets', cell: ({ budgets }) => <Budgets of={budgets} /> },
              { header: 'Since', cell: ({ created_at: at }) => <Time at={at} /> },
              {
                header: 'Change',
                cell: (tenant) =>
                  canWrite('operator') && (
                    <Button variant="quiet" onClick={() => setEdited(tenant)}>
                      Edit
                    </Button>
                  ),
              },
            ]}
          />
        )}
      </Loaded>
      {edited !== null && (
        <TenantForm {...(edited === 'new' ? {} : { tenant: edited })} onClose={() => setEdited(null)} />
      )}
    </Section>
  );
}

function Budgets({ of }: Readonly<{ of: Tenant['budgets'] }>) {
  if (of.length === 0) return <span className="muted">none</span>;
  return of
    .map(
      ({ period, unit, amount, spent }) =>
        `${formatCount(spent)} of ${formatCount(amount)} ${unit} a ${period}`,
    )
    .join('; ');
}

function TenantForm({ tenant, onClose }: Readonly<{ tenant?: Tenant; onClose: () => void }>) {
  const [draft, setDraft] = useState<TenantDraft>(() => toTenantDraft(tenant));
  const set = (name: keyof TenantDraft) => (value: string) =>
    setDraft((before) => ({ ...before, [name]: value }));
  const queries = useQueryClient();
  const tell = useTell();
  const save = useMutation({
    mutationFn: () =>
      tenant === undefined
        ? client.tenants.create(toTenantInput(draft))
        : client.tenants.patch(tenant.id, toTenantInput(draft)),
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: KEY });
      tell('The tenant is saved.');
      onClose();
    },
  });
  return (
    <DialogForm
      title={tenant === undefined ? 'Create a tenant' : 'Edit the tenant'}
      action="Save"
      sending={save}
      onClose={onClose}
    >
      <TextField label="Name" value={draft.name} onChange={set('name')} required />
      <SelectField
        label="Preset"
        value={draft.preset}
        onChange={set('preset')}
        choices={choicesOf(PRESETS, 'of the deployment')}
      />
      <div className="form-grid">
        <TextField label="Tokens a day" type="number" value={draft.tokensDay} onChange={set('tokensDay')} />
        <TextField
          label="Tokens a month"
          type="number"
          value={draft.tokensMonth}
          onChange={set('tokensMonth')}
        />
        <TextField label="Cost a day" type="number" value={draft.costDay} onChange={set('costDay')} />
        <TextField label="Cost a month" type="number" value={draft.costMonth} onChange={set('costMonth')} />
        <TextField
          label="Points a second, a key"
          type="number"
          value={draft.keyRate}
          onChange={set('keyRate')}
        />
        <TextField
          label="Points a second, all"
          type="number"
          value={draft.tenantRate}
          onChange={set('tenantRate')}
        />
      </div>
      <p className="hint">
        An empty budget is none; an empty rate is that of the deployment; 0 is no limit of rate.
      </p>
    </DialogForm>
  );
}
