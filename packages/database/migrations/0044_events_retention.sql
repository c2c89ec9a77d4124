-- Tenants say how long they keep events, and readers are told when some that they have not read are gone.

-- events_days: null for as long as the deployment keeps them.
alter table retention_policies add column events_days integer;
alter table retention_policies drop constraint retention_policies_days_check;
alter table retention_policies add constraint retention_policies_days_check
  check (least(messages_days, outputs_days, versions_days, events_days, audit_days) >= 1);

-- The last event that was removed for its age.
alter table tenants add column events_cut_watermark bigint not null default 0,
  add column events_cut_number bigint not null default 0;
