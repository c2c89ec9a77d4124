-- Counts what calls of models cost, as part of the caller's transaction.
-- tenant: whose. entries: [{ user_id, model, purpose, calls, input_tokens, output_tokens, cost | null }]. What was done
--   for somebody of whom nothing is stored, or not any more, counts for nobody.
-- Result: the budgets of which this takes 80 or 100 %, [{ period, unit, amount, spent, level }], else null. The row of
-- the day is locked until the commit, so that of concurrent callers exactly one is told.
create or replace function record_usage(tenant uuid, entries jsonb) returns jsonb language plpgsql as $$
declare
  v_day constant date := (clock_timestamp() at time zone 'utc')::date;
  v_tokens bigint;
  v_cost numeric;
  v_warnings jsonb;
begin
  select coalesce(sum(input_tokens + output_tokens), 0), coalesce(sum(cost), 0) into v_tokens, v_cost
    from jsonb_to_recordset(entries) as e (purpose text, input_tokens bigint, output_tokens bigint, cost numeric)
    where purpose <> 'chat';
  insert into spending as s (tenant_id, day, tokens, cost) values (tenant, v_day, v_tokens, v_cost)
    on conflict (tenant_id, day) do update set tokens = s.tokens + excluded.tokens, cost = s.cost + excluded.cost;
  insert into usage as u (tenant_id, day, user_id, model, purpose, calls, input_tokens, output_tokens, cost)
    with given as (
      select * from jsonb_to_recordset(entries) as e (user_id text, model text, purpose text, calls bigint,
        input_tokens bigint, output_tokens bigint, cost numeric)
    ), known as (
      -- An erasure waits for this, and finds what is counted here.
      select user_id from users where tenant_id = tenant and user_id in (select user_id from given) for key share
    )
    select tenant, v_day, coalesce(k.user_id, ''), g.model, g.purpose, sum(g.calls), sum(g.input_tokens),
           sum(g.output_tokens), sum(g.cost)
      from given g left join known k on k.user_id = g.user_id
      group by coalesce(k.user_id, ''), g.model, g.purpose
    on conflict (tenant_id, day, user_id, model, purpose) do update
      set calls = u.calls + excluded.calls, input_tokens = u.input_tokens + excluded.input_tokens,
          output_tokens = u.output_tokens + excluded.output_tokens,
          cost = coalesce(u.cost + excluded.cost, u.cost, excluded.cost);
  if v_tokens > 0 or v_cost > 0 then
    select jsonb_agg(jsonb_build_object('period', b.period, 'unit', b.unit, 'amount', b.amount, 'spent', b.spent,
             'level', l.level) order by l.level, b.period, b.unit) into v_warnings
      from budget_state(tenant) b cross join (values (80), (100)) as l (level)
      where b.spent * 100 >= b.amount * l.level
        and (b.spent - case b.unit when 'tokens' then v_tokens else v_cost end) * 100 < b.amount * l.level;
  end if;
  return v_warnings;
end $$;
