-- The ledger in time: counts and series of what was accepted in a period. The condition holds for every row. It keeps
-- the index out of plans of foreign keys, for which it would look as good as the key on a database without statistics.
create index extractions_accepted_idx on extractions (tenant_id, accepted_at) where accepted_no > 0;
-- What failed or was dropped, among many that did not.
create index extractions_troubled_idx on extractions (tenant_id, accepted_no) where state in ('failed', 'dropped');
