-- The place of an event that is written now: no lower than this transaction's number, and than that of every transaction
-- that had ended before. So what one transaction writes after another has committed comes after it, whichever of them
-- began first; and it is at or above the horizon until this transaction has ended. Call it in a statement of its own,
-- after the locks that order the changes are taken: the statement's snapshot says which transactions had ended.
-- The upper bits are how often the database has moved to another server.
create or replace function event_watermark() returns bigint language sql
return (coalesce((select history from event_clock), 0) << 44) + greatest(
  pg_current_xact_id()::text::bigint, pg_snapshot_xmax(pg_current_snapshot())::text::bigint - 1);
