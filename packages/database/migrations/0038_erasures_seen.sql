-- In which transaction an erasure was finished, so that a vault can ask for what it has not seen the end of: an erasure
-- leaves no version of a memory behind. Null: not finished, or before this migration.
alter table erasures add column finished_xid xid8;
create index erasures_finished_idx on erasures (tenant_id, finished_xid) where finished_xid is not null;
