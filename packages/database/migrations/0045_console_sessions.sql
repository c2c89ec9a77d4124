-- Sessions of the console: what a browser has in place of an API key. Nothing in a row opens anything: token_sha256 is
-- the SHA-256 of 256 random bits, key_proof that of the token and the hash of the key's secret.
-- key_id: null for the administrator's key of the environment. A session whose key is gone opens nothing either. expires_at: the end at the latest; a session that is not
-- used ends before, by seen_at.
create table console_sessions (
  token_sha256 bytea not null,
  tenant_id uuid not null constraint console_sessions_tenant_fkey references tenants (id) on delete cascade,
  key_id text,
  key_proof bytea not null,
  created_at timestamptz not null default now(),
  seen_at timestamptz not null,
  expires_at timestamptz not null,
  constraint console_sessions_pkey primary key (token_sha256, tenant_id)
);
create index console_sessions_expiry_idx on console_sessions (expires_at);
