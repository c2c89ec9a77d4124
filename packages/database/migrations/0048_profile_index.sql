-- The core profile of a user, which every context has, without reading the user's other memories.
create index memories_profile_idx on memories (tenant_id, user_id) where tier = 1 and is_current;
