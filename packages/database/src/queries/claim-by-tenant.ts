/** A row of any tenant. */
export type TenantRow = Readonly<{ tenantId: string; id: string }>;

/** How many more rows are read than are wanted, to get past the ones that other workers claim at the same time. */
const SLACK = 16;
/** How many reads there are at most, each of twice as many rows, to get past those that others hold for long. */
const MAX_ROUNDS = 4;

/**
 * Claims rows of background work, which may be any tenant's. Reads over the tenants which rows are due, without a lock;
 * then locks and marks them tenant by tenant. So no statement locks or skips rows of more than one tenant. Concurrent
 * callers get different rows, as long as `claim` skips rows that are locked or no longer due. When a claim fails, what
 * was claimed before it is lost to this caller, as after a crash: it is due again when its lease is over.
 *
 * @param read reads due rows, at most as many as asked for, the first to be claimed first
 * @param claim those of these rows of one tenant that are still due and that nobody holds
 * @returns up to `limit` rows, the first of all tenants in the order of the read; fewer only when few are due or other
 *   workers have the rest
 */
export async function claimByTenant<Row extends TenantRow>(
  limit: number,
  read: (limit: number) => Promise<readonly TenantRow[]>,
  claim: (tenantId: string, ids: readonly string[]) => Promise<readonly Row[]>,
): Promise<Row[]> {
  const claimed: Row[] = [];
  // Of each row that was tried, where it stood.
  const places = new Map<string, number>();
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    const wanted = (limit - claimed.length + SLACK) * 2 ** round;
    const due = await read(wanted);
    const untried = due.filter((row) => !places.has(keyOf(row)));
    for (const row of untried) places.set(keyOf(row), places.size);
    while (untried.length > 0 && claimed.length < limit) {
      const next = untried.splice(0, limit - claimed.length);
      for (const [tenantId, rows] of Map.groupBy(next, (row) => row.tenantId)) {
        const ids = rows.map(({ id }) => id);
        claimed.push(...(await claim(tenantId, ids)));
      }
    }
    if (claimed.length === limit || due.length < wanted) break;
  }
  const placeOf = (row: Row) => places.get(keyOf(row)) ?? 0;
  return claimed.toSorted((one, other) => placeOf(one) - placeOf(other));
}

const keyOf = ({ tenantId, id }: TenantRow) => `${tenantId} ${id}`;

/**
 * A query for the rows among `$2` of the tenant in `$1` that are still due, locked; those that are locked already are
 * left out. Row by row, each by its whole key: within coalesce what is due is no reason to look in an index of what is
 * due, which may look empty to the planner and hold a backlog.
 *
 * @param due SQL of what is due, of a row `r`
 */
export function lockDue(table: string, due: string): string {
  return `select r.tenant_id, r.id from unnest($2::uuid[]) as given (id) cross join lateral (
      select r.tenant_id, r.id from ${table} r
      where r.tenant_id = $1::uuid and r.id = given.id and coalesce((${due}), false) for update skip locked) as r`;
}
