-- What happened, written in the transaction that caused it: ids and counts, never text. Events are read in the order
-- of (watermark, number), and only those below event_horizon(): docs/adr/0027-events-in-commit-order.md.
create table events (
  tenant_id uuid not null constraint events_tenant_fkey references tenants (id) on delete cascade,
  watermark bigint not null,
  number bigint generated always as identity,
  type text not null,
  user_id text,
  data jsonb not null,
  created_at timestamptz not null default now(),
  constraint events_pkey primary key (tenant_id, watermark, number)
);
create index events_user_idx on events (tenant_id, user_id, watermark, number);

-- One row. cluster: which server the transaction numbers belong to. history: how often that has changed, as with a dump
-- that is restored elsewhere, where numbers begin anew; watermarks begin with it.
create table event_clock (
  id boolean not null default true constraint event_clock_pkey primary key constraint event_clock_one_check check (id),
  cluster bigint,
  history bigint not null default 0
);
insert into event_clock default values;

-- Receivers of events. watermark, number: the last event that it has, or will never get. types: null for all.
-- A worker that delivers holds a lease and the latest fence; so an endpoint gets one delivery at a time.
create table webhooks (
  id uuid not null,
  tenant_id uuid not null constraint webhooks_tenant_fkey references tenants (id) on delete cascade,
  url text not null,
  types text[],
  secret text not null,
  previous_secret text,
  previous_secret_until timestamptz,
  disabled_at timestamptz,
  disabled_reason text,
  watermark bigint not null,
  number bigint not null,
  failures integer not null default 0,
  failing_since timestamptz,
  next_attempt_at timestamptz not null default now(),
  fence integer not null default 0,
  lease_until timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint webhooks_pkey primary key (id, tenant_id),
  constraint webhooks_disabled_check check ((disabled_at is null) = (disabled_reason is null))
);
create index webhooks_tenant_idx on webhooks (tenant_id, created_at, id);
create index webhooks_due_idx on webhooks (next_attempt_at) where disabled_at is null;

-- The log, and what is to be sent: pending until the endpoint has answered well. watermark, number: the event; null for
-- a test.
create table webhook_deliveries (
  id uuid not null,
  tenant_id uuid not null,
  webhook_id uuid not null,
  watermark bigint,
  number bigint,
  type text not null,
  state text not null default 'pending',
  attempts integer not null default 0,
  status integer,
  error text,
  duration_ms integer,
  created_at timestamptz not null default now(),
  attempted_at timestamptz,
  constraint webhook_deliveries_pkey primary key (id, tenant_id),
  constraint webhook_deliveries_webhook_fkey foreign key (webhook_id, tenant_id)
    references webhooks (id, tenant_id) on delete cascade,
  constraint webhook_deliveries_state_check check (state in ('pending', 'delivered', 'failed'))
);
create unique index webhook_deliveries_event_key on webhook_deliveries (tenant_id, webhook_id, watermark, number);
create index webhook_deliveries_list_idx on webhook_deliveries (tenant_id, webhook_id, created_at, id);
create index webhook_deliveries_pending_idx on webhook_deliveries (tenant_id, webhook_id, watermark, number)
  where state = 'pending';
