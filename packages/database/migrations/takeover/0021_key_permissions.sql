-- Until now every key could chat and use the rest of the upstream. Keys of applications keep that, now by name; keys
-- that were made for queues alone do not. No key becomes an operator: before, `admin` reached what all tenants share.
update api_keys set permissions = permissions || array['chat', 'upstream']
where permissions && array['memory.read', 'memory.write', 'memory.read_all'];

-- The user of a locked key is the only one that it reaches.
alter table api_keys add column user_locked boolean not null default false;
alter table api_keys add constraint api_keys_lock_check check (not user_locked or (
  user_id is not null and not permissions && array['memory.read_all', 'admin', 'operator']));
