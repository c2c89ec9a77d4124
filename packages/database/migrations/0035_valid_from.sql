-- A question that names a date ("on 16 May", "last week") is answered by what holds since then.
create index memories_valid_idx on memories (tenant_id, user_id, valid_from) where is_current;
