-- What is open, over all tenants. The condition on accepted_no holds for every row: only a statement that repeats it uses
-- this index. After a quiet hour the statistics say that nothing is open, and the index looked as good as a key for
-- finding one row: each claim in a burst then read the whole backlog.
drop index extractions_open_idx;
create index extractions_open_idx on extractions (accepted_no) where state in ('pending', 'active') and accepted_no > 0;
-- What a memory took the place of, for its history.
create index memories_superseded_idx on memories (tenant_id, superseded_by) where superseded_by is not null;
