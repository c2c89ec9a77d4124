-- Counts what calls of models cost, as part of the caller's transaction.
-- tenant: whose. entries: [{ user_id, model, purpose, calls, input_tokens, output_tokens, cost | null, day }]. Without a
--   day (UTC) it was today. What was done for somebody of whom nothing is stored, or not any more, counts for nobody.
-- Result: the budgets of which this takes 80 or 100 %, [{ period, unit, amount, spent, level }], else null. Each is also
-- an event. With a budget the tenant's row of the day is locked until the commit, so that of concurrent callers exactly
-- one is told. Without any nobody waits: the first budget counts what was spent before (count_spending).
create or replace function record_usage(tenant uuid, entries jsonb) returns jsonb language plpgsql as $$
declare
  v_day constant date := (clock_timestamp() at time zone 'utc')::date;
  v_warnings jsonb;
  v_place bigint;
begin
  perform pg_advisory_xact_lock_shared(hashtextextended('factmill.budgets ' || tenant::text, 0));
  if exists (select from budgets where tenant_id = tenant) then
    insert into spending as s (tenant_id, day, tokens, cost)
      select tenant, coalesce(day, v_day), coalesce(sum(input_tokens + output_tokens) filter (where purpose <> 'chat'), 0),
             coalesce(sum(cost) filter (where purpose <> 'chat'), 0)
        from jsonb_to_recordset(entries) as e (purpose text, input_tokens bigint, output_tokens bigint, cost numeric,
          day date)
        group by coalesce(day, v_day) order by coalesce(day, v_day)
      on conflict (tenant_id, day) do update set tokens = s.tokens + excluded.tokens, cost = s.cost + excluded.cost;
  end if;
  insert into usage as u (tenant_id, day, user_id, model, purpose, calls, input_tokens, output_tokens, cost)
    with given as (
      select * from jsonb_to_recordset(entries) as e (user_id text, model text, purpose text, calls bigint,
        input_tokens bigint, output_tokens bigint, cost numeric, day date)
    ), known as (
      -- An erasure waits for this, and finds what is counted here. User by user: for the planner a list has 100, for
      -- which it would rather read all users of the tenant.
      select u.user_id from (select distinct user_id from given) as g cross join lateral (
        select user_id from users where tenant_id = tenant and user_id = g.user_id for key share) as u
    )
    select tenant, coalesce(g.day, v_day), coalesce(k.user_id, ''), g.model, g.purpose, sum(g.calls),
           sum(g.input_tokens), sum(g.output_tokens), sum(g.cost)
      from given g left join known k on k.user_id = g.user_id
      group by coalesce(g.day, v_day), coalesce(k.user_id, ''), g.model, g.purpose
    on conflict (tenant_id, day, user_id, model, purpose) do update
      set calls = u.calls + excluded.calls, input_tokens = u.input_tokens + excluded.input_tokens,
          output_tokens = u.output_tokens + excluded.output_tokens,
          cost = coalesce(u.cost + excluded.cost, u.cost, excluded.cost);
  select jsonb_agg(jsonb_build_object('period', b.period, 'unit', b.unit, 'amount', b.amount, 'spent', b.spent,
           'level', l.level) order by l.level, b.period, b.unit) into v_warnings
    from budget_state(tenant) b cross join (values (80), (100)) as l (level)
      cross join lateral (
        select coalesce(sum(case b.unit when 'tokens' then e.input_tokens + e.output_tokens else e.cost end), 0) as taken
          from jsonb_to_recordset(entries) as e (purpose text, input_tokens bigint, output_tokens bigint, cost numeric,
            day date)
          where e.purpose <> 'chat'
            and coalesce(e.day, v_day) >= date_trunc(b.period, now() at time zone 'utc')::date
      ) as this
    where this.taken > 0 and b.spent * 100 >= b.amount * l.level
      and (b.spent - this.taken) * 100 < b.amount * l.level;
  if v_warnings is not null then
    v_place := event_watermark();
    insert into events (tenant_id, watermark, type, data)
      select tenant, v_place, case w->>'level' when '100' then 'budget.exceeded' else 'budget.warning' end, w
        from jsonb_array_elements(v_warnings) as w;
  end if;
  return v_warnings;
end $$;
