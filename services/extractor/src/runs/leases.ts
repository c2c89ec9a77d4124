import type { HeldClaim } from '@factmill/database';
import { AppError } from '@factmill/errors';

/** A dead worker's row is free after this long; see claimExtraction. */
export const LEASE_MS = 8_000;
const RENEW_EVERY_MS = 2_500;

export type Leases = Readonly<{
  /** Renews the claim's lease until `release`; the signal fires when another worker has taken it. */
  hold: (claim: HeldClaim) => Readonly<{ signal: AbortSignal; release: () => void }>;
  close: () => void;
}>;

/**
 * Renews the leases of all rows of one table that this process works on, in one statement. Without such rows it does
 * nothing.
 *
 * @param deps.renew extends leases by `LEASE_MS` and resolves to the ids that this worker no longer holds
 */
export function createLeases(deps: {
  renew: (claims: readonly HeldClaim[]) => Promise<readonly string[]>;
}): Leases {
  const held = new Map<string, { claim: HeldClaim; controller: AbortController }>();
  let renewing = false;
  let timer: NodeJS.Timeout | undefined;

  function stop(): void {
    clearInterval(timer);
    timer = undefined;
  }

  async function renew(): Promise<void> {
    const entries = [...held.values()];
    if (renewing || entries.length === 0) return;
    renewing = true;
    try {
      const lost = new Set(await deps.renew(entries.map((entry) => entry.claim)));
      for (const { claim, controller } of entries) {
        if (lost.has(claim.id))
          controller.abort(new AppError('fenced', 'Another worker has taken this over.'));
      }
    } catch {
      // While the database is down nothing is renewed, but no other worker can claim either; the next tick tries again.
    } finally {
      renewing = false;
    }
  }

  return {
    hold(claim) {
      const controller = new AbortController();
      held.set(claim.id, { claim, controller });
      timer ??= setInterval(() => void renew(), RENEW_EVERY_MS).unref();
      return {
        signal: controller.signal,
        release: () => {
          if (held.get(claim.id)?.claim.fence === claim.fence) held.delete(claim.id);
          if (held.size === 0) stop();
        },
      };
    },
    close: stop,
  };
}
