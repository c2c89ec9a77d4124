/** A row of any tenant. */
export type TenantRow = Readonly<{ tenantId: string; id: string }>;

/** How many more rows are read than are wanted, to get past the ones that other workers claim at the same time. */
const SLACK = 16;
/** How often is read anew when other workers were faster each time. */
const MAX_ROUNDS = 3;

/**
 * Claims rows of background work, which may be any tenant's. Reads over the tenants which rows are due, without a lock;
 * then locks and marks them tenant by tenant. So no statement locks or skips rows of more than one tenant. Concurrent
 * callers get different rows, as long as `claim` skips rows that are locked or no longer due.
 *
 * @param read reads due rows, at most as many as asked for, the first to be claimed first
 * @param claim up to `limit` of these rows of one tenant
 * @returns up to `limit` rows; fewer, or none, when few are due or other workers were faster
 */
export async function claimByTenant<Row>(
  limit: number,
  read: (limit: number) => Promise<readonly TenantRow[]>,
  claim: (tenantId: string, ids: readonly string[], limit: number) => Promise<readonly Row[]>,
): Promise<Row[]> {
  const claimed: Row[] = [];
  for (let round = 0; round < MAX_ROUNDS && claimed.length === 0; round += 1) {
    const due = await read(limit + SLACK);
    if (due.length === 0) break;
    for (const [tenantId, rows] of Map.groupBy(due, (row) => row.tenantId)) {
      if (claimed.length >= limit) break;
      const ids = rows.map(({ id }) => id);
      claimed.push(...(await claim(tenantId, ids, limit - claimed.length)));
    }
  }
  return claimed;
}

/**
 * A query for the rows among `$2` of the tenant in `$1` that are still due, locked; those that are locked already are
 * left out. Row by row, so that no more are locked than the limit in `$3` takes.
 *
 * @param due SQL of what is due, of a row `r`
 */
export function lockDue(table: string, due: string): string {
  return `select r.tenant_id, r.id from unnest($2::uuid[]) as given (id) cross join lateral (
      select r.tenant_id, r.id from ${table} r
      where r.tenant_id = $1::uuid and r.id = given.id and ${due} for update skip locked) as r
    limit $3::integer`;
}
