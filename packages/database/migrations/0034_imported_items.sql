-- Receipts of imported items: a second import of the same stores nothing, whatever has become of the memory since. An
-- item is known by the name of its source and the hash of its id there. memory_id: the memory that held it then; it may
-- be gone.
create table imported_items (
  tenant_id uuid not null constraint imported_items_tenant_fkey references tenants (id) on delete cascade,
  user_id text not null,
  source text not null,
  item_sha256 bytea not null,
  memory_id uuid,
  imported_at timestamptz not null default now(),
  constraint imported_items_pkey primary key (tenant_id, user_id, source, item_sha256)
);
