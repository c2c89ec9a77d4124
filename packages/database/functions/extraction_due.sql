-- Says when messages are due for extraction: at once when max_turns or token_cap is reached, or min_turns without a
-- quiet gap; else at the earliest of the quiet gap (from min_turns on), the idle timeout and the daily flush;
-- 'infinity' without any of them. A user message waits for its reply, for as long as the gaps let it.
-- trigger, schedule: as in accept_conversations. user_turns, tokens, has_reply: of the messages. last_at: when the last
-- of them came.
-- Result: due_at, due_for (the rule that says so); null without a user message.
create or replace function extraction_due(
  trigger jsonb, schedule jsonb, user_turns bigint, tokens bigint, has_reply boolean, last_at timestamptz,
  out due_at timestamptz, out due_for text
) language plpgsql stable as $$
declare
  v_gap integer := coalesce((trigger->>'quiet_gap_s')::integer, 0);
  v_idle integer := coalesce((trigger->>'idle_timeout_s')::integer, 0);
  v_max integer := coalesce((trigger->>'max_turns')::integer, 0);
  v_cap integer := coalesce((trigger->>'token_cap')::integer, 0);
  v_enough boolean := user_turns >= coalesce((trigger->>'min_turns')::integer, 0);
  v_at timestamptz;
begin
  if user_turns = 0 then
    return;
  end if;
  if ((v_max > 0 and user_turns >= v_max) or (v_cap > 0 and tokens >= v_cap) or (v_enough and v_gap = 0))
     and (has_reply or coalesce(trigger->>'scope', '') <> 'ephemeral'
          or not coalesce((trigger->>'reads_replies')::boolean, false)) then
    due_at := last_at;
    due_for := 'messages';
    return;
  end if;
  due_at := 'infinity';
  if v_enough and v_gap > 0 then
    due_at := last_at + v_gap * interval '1 second';
    due_for := 'quiet_gap';
  end if;
  if v_idle > 0 and last_at + v_idle * interval '1 second' < due_at then
    due_at := last_at + v_idle * interval '1 second';
    due_for := 'idle_timeout';
  end if;
  if coalesce((trigger->>'daily_flush')::boolean, false) then
    v_at := next_daily_flush(schedule, last_at);
    if v_at < due_at then
      due_at := v_at;
      due_for := 'daily_flush';
    end if;
  end if;
end $$;
