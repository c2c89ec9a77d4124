-- Below this place no event can appear any more: every transaction with a lower number has ended. A reader takes events
-- below it, in a statement with the same snapshot or a later one.
create or replace function event_horizon() returns bigint language sql stable
return (coalesce((select history from event_clock), 0) << 44) + pg_snapshot_xmin(pg_current_snapshot())::text::bigint;
