-- Says when a summary that has changed is due: 2 s after its last change, so that a burst of extractions gives one
-- refresh, and at the latest 30 s after the first. One that fails keeps the delay it was given.
-- row_: the summary.
create or replace function summary_due(row_ summaries) returns timestamptz language sql stable
return case when row_.failures > 0 and row_.refresh_at is not null then row_.refresh_at
  else least(now() + interval '2 seconds', coalesce(row_.stale_since, now()) + interval '30 seconds') end;
