-- A search as of a moment asks whether anything of the user was written, or has ended, since.
drop index memory_versions_user_idx;
create index memory_versions_user_idx on memory_versions (tenant_id, user_id, created_at);
create index memories_ended_idx on memories (tenant_id, user_id, least(valid_to, expires_at))
  where least(valid_to, expires_at) is not null;
