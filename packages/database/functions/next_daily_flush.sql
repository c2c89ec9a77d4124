-- Says when the next daily flush is. schedule: as in accept_conversations. after: the moment before it.
create or replace function next_daily_flush(schedule jsonb, after timestamptz) returns timestamptz
language plpgsql stable as $$
declare
  v_zone text := schedule->>'time_zone';
  v_time time := (schedule->>'daily_flush_at')::time;
  v_day date := (after at time zone v_zone)::date;
  v_at timestamptz := (v_day + v_time) at time zone v_zone;
begin
  return case when v_at > after then v_at else (v_day + 1 + v_time) at time zone v_zone end;
end $$;
