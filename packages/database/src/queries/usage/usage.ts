import type { Usage, UsageDimension, UsagePurpose } from '@factmill/contracts';
import type { Sql } from '../../pool/sql.ts';

/** What calls of one model for one purpose cost. */
export type UsageEntry = Readonly<{
  /** '' for nobody. */
  userId: string;
  model: string;
  purpose: UsagePurpose;
  calls: number;
  inputTokens: number;
  outputTokens: number;
  /** In the unit of the price list; null for a model without a price. */
  cost: number | null;
  /** As YYYY-MM-DD in UTC; left out: today. */
  day?: string;
}>;

/** A budget of which 80 or 100 % have just been spent. */
export type BudgetWarning = Readonly<{
  period: 'day' | 'month';
  unit: 'tokens' | 'cost';
  amount: number;
  spent: number;
  level: 80 | 100;
}>;

/** Entries as record_usage takes them. */
export function usageToJson(entries: readonly UsageEntry[]): string {
  return JSON.stringify(
    entries.map((entry) => ({
      user_id: entry.userId,
      model: entry.model,
      purpose: entry.purpose,
      calls: entry.calls,
      input_tokens: entry.inputTokens,
      output_tokens: entry.outputTokens,
      cost: entry.cost,
      day: entry.day,
    })),
  );
}

/** Counts what calls cost. Resolves to the budgets of which this has taken 80 or 100 %. */
export async function recordUsage(
  sql: Sql,
  tenantId: string,
  entries: readonly UsageEntry[],
): Promise<readonly BudgetWarning[]> {
  const { warnings } = await sql.one<{ warnings: BudgetWarning[] | null }>(
    'select record_usage($1::uuid, $2::jsonb) as warnings',
    [tenantId, usageToJson(entries)],
    { name: 'record_usage' },
  );
  return warnings ?? [];
}

export type UsageFilter = Readonly<{
  /** Null for all tenants. */
  tenantId: string | null;
  since: string | null;
  until: string | null;
  userId: string | null;
  model: string | null;
  purpose: UsagePurpose | null;
  groupBy: readonly UsageDimension[];
  offset: number;
  limit: number;
}>;

const COLUMNS: Readonly<Record<UsageDimension, readonly [column: string, as: string]>> = {
  tenant: ['tenant_id', 'tenant_id'],
  day: ['day', `to_char(day, 'YYYY-MM-DD')`],
  user: ['user_id', `nullif(user_id, '')`],
  model: ['model', 'model'],
  purpose: ['purpose', 'purpose'],
};
const NAMES: Readonly<Record<UsageDimension, string>> = {
  tenant: 'tenant_id',
  day: 'day',
  user: 'user_id',
  model: 'model',
  purpose: 'purpose',
};

/** What was used, grouped and in the order of the groups. Uses usage_pkey. */
export async function listUsage(sql: Sql, filter: UsageFilter): Promise<Usage[]> {
  const columns = filter.groupBy.map((dimension) => COLUMNS[dimension][0]).join(', ');
  const selected = filter.groupBy.map((dimension) => `${COLUMNS[dimension][1]} as ${NAMES[dimension]}`);
  const { rows } = await sql.query<Usage>(
    `select ${selected.join(', ')}, sum(calls)::float8 as calls, sum(input_tokens)::float8 as input_tokens,
       sum(output_tokens)::float8 as output_tokens, sum(cost)::float8 as cost
     from usage
     where ($1::uuid is null or tenant_id = $1::uuid)
       and ($2::date is null or day >= $2::date) and ($3::date is null or day <= $3::date)
       and ($4::text is null or user_id = $4::text) and ($5::text is null or model = $5::text)
       and ($6::text is null or purpose = $6::text)
     group by ${columns} order by ${columns} offset $7::integer limit $8::integer`,
    [
      filter.tenantId,
      filter.since,
      filter.until,
      filter.userId,
      filter.model,
      filter.purpose,
      filter.offset,
      filter.limit,
    ],
  );
  return rows;
}
