-- What calls of models cost, by the models' own figures, and how much of it a tenant may spend.

-- One row for each day (UTC), user, model and purpose. user_id: '' for what was done for nobody, or for somebody who was
-- erased. cost: in the unit of the price list; null for models without a price.
create table usage (
  tenant_id uuid not null constraint usage_tenant_fkey references tenants (id) on delete cascade,
  day date not null,
  user_id text collate "C" not null,
  model text not null,
  purpose text not null,
  calls bigint not null,
  input_tokens bigint not null,
  output_tokens bigint not null,
  cost numeric,
  constraint usage_pkey primary key (tenant_id, day, user_id, model, purpose)
);
-- Erasing a user takes their name from it.
create index usage_user_idx on usage (tenant_id, user_id);

-- What counts against budgets: everything in usage but chats, summed up by day, so that a claim reads few rows.
create table spending (
  tenant_id uuid not null constraint spending_tenant_fkey references tenants (id) on delete cascade,
  day date not null,
  tokens bigint not null,
  cost numeric not null,
  constraint spending_pkey primary key (tenant_id, day)
);

create table budgets (
  tenant_id uuid not null constraint budgets_tenant_fkey references tenants (id) on delete cascade,
  period text not null,
  unit text not null,
  amount numeric not null,
  constraint budgets_pkey primary key (tenant_id, period, unit),
  constraint budgets_period_check check (period in ('day', 'month')),
  constraint budgets_unit_check check (unit in ('tokens', 'cost')),
  constraint budgets_amount_check check (amount >= 0)
);

-- Until when a pending extraction waits because a budget of its tenant is used up; reason says which.
alter table extractions add column deferred_until timestamptz;
create index extractions_deferred_idx on extractions (tenant_id, accepted_no)
  where deferred_until is not null and state = 'pending';
