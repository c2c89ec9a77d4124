-- Says what a tenant has spent of each of its budgets in the present period, and when the next one begins (UTC).
-- tenant: which one. Result: one row for each budget; none without any.
create or replace function budget_state(tenant uuid)
returns table (period text, unit text, amount numeric, spent numeric, resets_at timestamptz) language sql stable
begin atomic
  select b.period, b.unit, b.amount,
         coalesce((select sum(case b.unit when 'tokens' then s.tokens else s.cost end) from spending s
                   where s.tenant_id = tenant and s.day >= began.at::date), 0),
         (began.at + ('1 ' || b.period)::interval) at time zone 'utc'
    from budgets b cross join lateral (select date_trunc(b.period, now() at time zone 'utc') as at) as began
    where b.tenant_id = tenant;
end;
