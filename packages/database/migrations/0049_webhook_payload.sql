-- What deliveries to an endpoint hold. thin: ids and counts. full: of events of memories also the memory, as it is then.
alter table webhooks add column payload text not null default 'thin'
  constraint webhooks_payload_check check (payload in ('thin', 'full'));
