-- Counts what was spent before a tenant had a budget.
create or replace trigger budgets_count_spending after insert on budgets
  referencing new table as added for each statement execute function count_spending();
