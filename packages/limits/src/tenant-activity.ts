/** Which tenants have asked for something of late. */
export type TenantActivity = Readonly<{
  note: (tenant: string) => void;
  /** Whether another tenant was active a moment ago. */
  ofOthers: (tenant: string) => boolean;
}>;

type Seen = { tenant: string; at: number };

/**
 * Remembers the latest activity, and the latest of any other tenant than that one: two notes, however many tenants.
 *
 * @param activeMs how long a tenant is active after it has asked
 * @param now milliseconds of a clock that never goes back
 */
export function createTenantActivity(activeMs: number, now: () => number): TenantActivity {
  let latest: Seen | undefined;
  let before: Seen | undefined;
  return {
    note(tenant) {
      if (latest !== undefined && latest.tenant !== tenant) before = latest;
      latest = { tenant, at: now() };
    },
    ofOthers(tenant) {
      const seen = latest?.tenant === tenant ? before : latest;
      return seen !== undefined && now() - seen.at < activeMs;
    },
  };
}
