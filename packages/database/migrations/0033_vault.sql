-- A Markdown vault: a folder with one file per memory, followed in both directions.

-- In which transaction a version was written, so that a reader can ask for what is new without missing what commits
-- late. Null: from before this migration.
alter table memory_versions add column written xid8;
alter table memory_versions alter column written set default pg_current_xact_id();
create index memory_versions_written_idx on memory_versions (tenant_id, written) where written is not null;

-- One process at a time holds the lease. imported_at: when everything in the folder had been read for the first time.
create table vaults (
  id uuid not null,
  tenant_id uuid not null constraint vaults_tenant_fkey references tenants (id) on delete cascade,
  holder uuid,
  leased_until timestamptz,
  imported_at timestamptz,
  created_at timestamptz not null default now(),
  constraint vaults_pkey primary key (id, tenant_id)
);

-- What file and memory agreed on last. file_hash: SHA-256 of the file in hex, null before it is first written. version:
-- of the memory. is_stale: the file does not say all that the memory says. writing_hash, writing_version: what is about
-- to be written. A row outlives its memory, so that the file of a purged memory is found and removed.
create table vault_files (
  vault_id uuid not null,
  memory_id uuid not null,
  tenant_id uuid not null,
  user_id text not null,
  path text not null,
  file_hash text,
  version integer not null,
  is_stale boolean not null default false,
  writing_hash text,
  writing_version integer,
  constraint vault_files_pkey primary key (vault_id, memory_id, tenant_id),
  constraint vault_files_path_key unique (vault_id, path, tenant_id),
  constraint vault_files_vault_fkey foreign key (vault_id, tenant_id) references vaults (id, tenant_id) on delete cascade
);
