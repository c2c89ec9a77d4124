-- Says until when a tenant has used up a budget, and which one; no row while it has not. Of several the last to end.
-- tenant: which one.
-- requires: budget_state
create or replace function budget_exhausted(tenant uuid) returns table (until timestamptz, reason text)
language sql stable
begin atomic
  select s.resets_at, 'budget_' || s.unit || '_' || s.period from budget_state(tenant) s
    where s.spent >= s.amount order by s.resets_at desc limit 1;
end;
