-- Trigger function: a new budget counts what its tenant has spent before in the present periods. Calls that are being
-- counted come wholly before, or see the budget (record_usage).
create or replace function count_spending() returns trigger language plpgsql as $$
begin
  perform pg_advisory_xact_lock(hashtextextended('factmill.budgets ' || tenant_id::text, 0))
    from (select distinct tenant_id from added order by tenant_id) as tenants;
  insert into public.spending (tenant_id, day, tokens, cost)
    select tenant_id, day, sum(input_tokens + output_tokens), coalesce(sum(cost), 0) from public.usage
      where tenant_id in (select tenant_id from added) and purpose <> 'chat'
        and day >= date_trunc('month', now() at time zone 'utc')::date
      group by tenant_id, day
    on conflict (tenant_id, day) do update set tokens = excluded.tokens, cost = excluded.cost;
  return null;
end $$;
