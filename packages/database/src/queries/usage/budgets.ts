import type { Budget } from '@factmill/contracts';
import type { Sql } from '../../pool/sql.ts';

/** A budget with what has been spent of it in the present period. */
export type BudgetState = Budget & Readonly<{ spent: number; resetsAt: Date }>;

/** The budgets of a tenant. Uses budgets_pkey and spending_pkey. */
export async function listBudgets(sql: Sql, tenantId: string): Promise<BudgetState[]> {
  const { rows } = await sql.query<BudgetState>(
    `select period, unit, amount::float8 as amount, spent::float8 as spent, resets_at as "resetsAt"
     from budget_state($1::uuid) order by period, unit`,
    [tenantId],
  );
  return rows;
}

/** An extraction that goes on. */
export type ResumedExtraction = Readonly<{ id: string; tenantId: string; generation: number }>;

/** How many of what goes on is named; the sweeper finds the others. */
const MAX_NAMED = 1_000;

/**
 * Replaces the budgets of a tenant and lets go on what waited for them, if none is used up now. Resolves to the oldest
 * extractions that go on. The caller's transaction has changed the tenant's row, so that no deferral comes in between.
 */
export async function replaceBudgets(
  tx: Sql,
  tenantId: string,
  budgets: readonly Budget[],
): Promise<readonly ResumedExtraction[]> {
  const given = [tenantId, JSON.stringify(budgets)];
  await tx.query(
    `delete from budgets where tenant_id = $1::uuid and (period, unit) not in (
       select b.period, b.unit from jsonb_to_recordset($2::jsonb) as b (period text, unit text))`,
    given,
  );
  await tx.query(
    `insert into budgets (tenant_id, period, unit, amount)
     select $1::uuid, b.period, b.unit, b.amount
     from jsonb_to_recordset($2::jsonb) as b (period text, unit text, amount numeric)
     on conflict (tenant_id, period, unit) do update set amount = excluded.amount`,
    given,
  );
  const { resumed } = await tx.one<{ resumed: ResumedExtraction[] }>(
    'select resume_deferred($1::uuid, $2::integer) as resumed',
    [tenantId, MAX_NAMED],
  );
  return resumed;
}
